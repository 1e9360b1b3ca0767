"""Everything that is written to a seat's socket, byte by byte: the same for deals that the seat cannot tell apart, hints too.

Whole games of all variants. tests/agents/test_web_leaks.py compares states; here the texts are those that the page's own loop
sends, in answer to questions that a person may ask.
"""

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from cardtable_agents.web.sockets import Page
from cardtable_agents.web.tables import LINK, OpenTable
from cardtable_agents.web.thinkers import Thinkers
from helpers import VARIANTS, variant_id, walk
from starlette.websockets import WebSocketDisconnect

from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.table import Table

ADVISERS = ("random", "heuristic", "search:100", "ppo")
POSITIONS = 12
"""Of a game of each variant, from its start to its end."""
SALT = "5a17" * 8


@pytest.fixture(scope="module")
def thinkers():
    made = Thinkers(1)
    yield made
    made.close()


class Wire:
    """A socket on which a page asks its questions one after the other, each when the answer to the one before has come."""

    def __init__(self, asked: list[dict[str, Any]]) -> None:
        self._asked = iter(asked)
        self.written: list[str] = []
        self.page: Page | None = None

    async def send_text(self, text: str) -> None:
        self.written.append(text)

    async def receive_text(self) -> str:
        assert self.page is not None
        if self.page._hinting is not None:
            await self.page._hinting
        for _ in range(10):  # whatever is due is written
            await asyncio.sleep(0)
        for message in self._asked:
            return json.dumps(message)
        raise WebSocketDisconnect(1000)


async def conversation(game: Game, table: Table, seat: int, advisers: tuple[str, ...], thinkers: Thinkers) -> list[str]:
    """What the page of a seat is sent when it opens the table, asks for what it may not have, and for hints."""
    seated = OpenTable(game, table.options, [LINK] * table.players, 1, 0.0)
    seated.table, seated._salt = table, SALT
    wire = Wire(
        [
            {"do": "take_back"},
            {"do": "uncover", "seat": 1 - seat},
            {"do": "play", "action": -1, "number": seated.number},
            *({"do": "hint", "agent": name, "number": seated.number} for name in advisers),
        ]
    )
    wire.page = Page(wire, seated, seated.links[seat], thinkers, advisers)  # type: ignore[arg-type]
    await wire.page.run()
    return wire.written


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_what_a_socket_is_sent_is_the_same_for_deals_that_the_seat_cannot_tell_apart(game_id, options, thinkers, sized):
    game = find(game_id)
    tables = [table.clone() for table in walk(game, dict(options), games=1, seed=9)]
    compared = hints = 0
    for place in np.linspace(0, len(tables) - 1, sized(POSITIONS)).astype(int).tolist():
        seats = range(tables[place].players)
        for seat in seats:
            advisers = ADVISERS if seat == tables[place].seat else ADVISERS[:1]
            worlds = [tables[place].redeal(seat, seed) for seed in (1, 2)]
            first, second = (asyncio.run(conversation(game, world, seat, advisers, thinkers)) for world in worlds)
            assert first == second
            compared += len(first)
            hints += sum('"type": "hint"' in text for text in first)
    print(f"{game_id} {options}: {compared} messages compared, {hints} of them hints")
    assert compared > 4 * sized(POSITIONS)
    assert hints >= sized(POSITIONS)


def test_a_hint_that_looks_at_the_deal_is_found(thinkers, monkeypatch):
    """If hints were made from the table and not from what the seat sees, the comparison would fail."""
    monkeypatch.setattr(OpenTable, "actions", lambda self: [{"id": int(card)} for card in self.table.state_bytes()[-64:]])
    with pytest.raises(AssertionError):
        test_what_a_socket_is_sent_is_the_same_for_deals_that_the_seat_cannot_tell_apart(
            "muster_v0", {}, thinkers, lambda number: number
        )
