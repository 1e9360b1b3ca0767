"""docs/protocol.md: its bot plays, its dialogue is that of a real game, its tables name every field, type and reason."""

import json
import re
import sys
from pathlib import Path

import pytest
from helpers import open_table

from cardtable.bots import messages
from cardtable.bots.check import check_bot
from cardtable.bots.faults import NOT_LEGAL, REASONS, Fault
from cardtable.bots.trial import Sitting, Trial
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import LEFT, Clocks

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "protocol.md").read_text(encoding="utf-8")
MUSTER = find("muster")


@pytest.fixture
def smallest(tmp_path):
    """The command of the bot that is on the page."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(code.splitlines()) <= 20
    (tmp_path / "smallest.py").write_text(code, encoding="utf-8")
    return f"'{sys.executable}' '{tmp_path / 'smallest.py'}'"


def dialogue():
    """The messages on the page, in order, each with who wrote it; lines that the page breaks are joined."""
    section = PAGE.partition("## A whole game")[2].partition("\n## ")[0]
    blocks = re.findall(r"```text\n(.*?)```", section, flags=re.DOTALL)
    lines = re.sub(r"\n  ", " ", "".join(blocks)).splitlines()
    return [(line[0], json.loads(line[2:])) for line in lines]


@pytest.mark.parametrize("game_id", game_ids())
def test_the_bot_on_the_page_passes_every_check(smallest, game_id):
    game = find(game_id)
    variants = [game.variants[0], game.variants[-1]]
    assert [each.found for each in check_bot(smallest, game, variants, Clocks(per_move=60.0)) if each.fault] == []


def test_the_dialogue_on_the_page_is_that_of_a_game(smallest):
    options = MUSTER.parse_options({"max_turns": 3})
    trial = Trial(smallest, MUSTER, options, Clocks())
    said, send, receive = [], trial.process.send, trial.process.receive

    def sending(line):
        said.append((">", json.loads(line)))
        send(line)

    def receiving(seconds):
        line = receive(seconds)
        said.append(("<", json.loads(line)))
        return line

    trial.process.send, trial.process.receive = sending, receiving
    trial.greet()
    trial.play([Sitting(MUSTER, options, number=1, seat=0)])
    trial.say(messages.leave())
    trial.process.end()
    assert dialogue() == said
    assert len(said) == 13


def fields(message):
    """The names of all fields of a message, apart from what is in options, views and events."""
    for name, value in message.items():
        yield name
        if isinstance(value, dict) and name not in ("options", "view"):
            yield from fields(value)
        if name == "asks":
            yield from fields(value[0])


def test_the_tables_name_every_field():
    table, options = open_table(MUSTER, {}), MUSTER.parse_options({})
    sitting = Sitting(MUSTER, options, 1, 0)
    entry = sitting.entry(messages.OFFERS, Clocks())
    told = [
        messages.hello(MUSTER, options, Clocks()),
        messages.start(1, 0, table.view(0)),
        messages.ask([entry]),
        messages.refused([entry], {1: Fault(NOT_LEGAL, "detail")}),
        messages.end(1, LEFT, None, None, []),
        messages.leave(),
        messages.ready(),
        messages.answers({1: 2}),
    ]
    named = {name for message in told for name in fields(message)}
    assert len(named) >= 33
    assert [name for name in sorted(named) if f"`{name}`" not in PAGE and f'"{name}"' not in PAGE] == []
    types = {message["type"] for message in told if "type" in message} - {"ready"}
    assert types == set(
        re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Messages")[2].partition("Each entry")[0], re.MULTILINE)
    )


def test_the_page_names_every_reason_and_limit():
    assert [reason for reason in REASONS if f"`{reason}`" not in PAGE] == []
    assert f"at most {messages.MOST_GAMES:,}" in PAGE
    assert f"{Clocks().per_move:.0f} s a move" in PAGE
