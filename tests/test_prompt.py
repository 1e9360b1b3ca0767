"""A decision as text, and the answer to it."""

import re
from collections import Counter
from itertools import product

import numpy as np
import pytest
from helpers import VARIANTS, open_table, variant_id
from test_events import MOST_GAMES, chooser

from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.events import SHARED, Event, decisions
from cardtable.game.registry import find, game_ids
from cardtable.prompt import LONGEST_ANSWER, rules_in_brief, since_last_decision, story
from cardtable.table import Table


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(variant_id, variant)))
def table(request):
    game_id, options = request.param
    return open_table(find(game_id), dict(options), 3)


@pytest.mark.parametrize("game_id", game_ids())
def test_the_rules_in_brief_are_those_of_the_spec_page(game_id):
    brief = rules_in_brief(find(game_id))
    assert 400 < len(brief) < 3000
    assert "RULES.md" in brief
    assert "|" not in brief


def test_a_prompt_has_all_that_is_needed_to_decide(table):
    generator = np.random.default_rng(3)
    for _ in range(25):
        if table.ending:
            break
        prompt = table.prompt()
        assert prompt == table.prompt(table.seat)
        assert prompt.startswith(f"You play {table.game.title} as player_{table.seat}.")
        assert rules_in_brief(table.game) in prompt
        assert table.text(table.seat, moves=0) in prompt
        for name in table.legal_actions():
            assert f"\n- {name}\n" in prompt
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


def test_a_prompt_tells_what_happened_since_the_last_decision_as_the_seat_saw_it():
    table = open_table(find("muster"), {}, 3)
    table.play(table.parse_action(next(name for name in table.legal_actions() if name.startswith("lay"))))
    table.play(table.parse_action("draw from pile"))
    assert "player_0 draws a hidden card from the pile" in table.prompt(1)
    table.play(table.parse_action(next(name for name in table.legal_actions() if name.startswith("lay"))))
    table.play(table.parse_action("draw from pile"))
    prompt = table.prompt(0)
    assert "player_1 draws a hidden card from the pile" in prompt
    assert "you lay" not in prompt.split("Your legal actions")[0].split("since your last decision")[0]


def test_every_legal_action_is_understood_alone_and_in_brackets(table):
    for number in np.flatnonzero(table.mask).tolist():
        name = table.game.actions.names[number]
        for answer in (
            name,
            f"[{name}]",
            f"  {name.upper()}\n",
            f"I think that [{name}] is best.",
            f"[pass]? No: [ {name} ]",
        ):
            assert table.parse_action(answer) == number


@pytest.mark.parametrize("answer", ["", "[]", "pass", "[pass]", "[", "?", "0", "lay", "🂡", "x" * (LONGEST_ANSWER + 1)])
def test_anything_else_is_refused_with_a_reason_and_nothing_changes(answer):
    table = open_table(find("muster"), {}, 3)
    before = table.state_bytes()
    with pytest.raises(IllegalAction, match=r"is not the name of an action; allowed: |characters, allowed: "):
        table.parse_action(answer)
    assert table.state_bytes() == before


@pytest.mark.parametrize("answer", [None, 0, b"pass", ["draw from pile"]])
def test_an_answer_is_a_text(answer):
    with pytest.raises(IllegalAction, match="an answer is a text"):
        open_table(find("muster"), {}, 3).parse_action(answer)


def test_an_action_that_is_not_legal_now_is_named_so():
    with pytest.raises(IllegalAction, match="'draw from pile' is not legal now; allowed: "):
        open_table(find("muster"), {}, 3).parse_action("[draw from pile]")


def test_only_the_seat_to_act_has_a_prompt():
    table = open_table(find("muster"), {}, 3)
    with pytest.raises(OptionError, match="who decides now: seat 0"):
        table.prompt(1)
    with pytest.raises(OptionError, match="seat="):
        table.prompt(7)
    with pytest.raises(ResetNeeded):
        Table("muster").prompt()


def test_a_game_that_is_over_has_no_prompt():
    table = open_table(find("muster"), {"max_turns": 1}, 3)
    while not table.ending:
        table.play(int(np.flatnonzero(table.mask)[0]))
    with pytest.raises(OptionError, match="the game is over"):
        table.prompt()


# ---- Sentences


RAW = re.compile(r"[{}]|\bNone\b|\bTrue\b|\bFalse\b|\bnan\b|'(?!s )|  |you's|\bof you\b|^ | $")
"""What does not belong in a sentence: traces of Python, fields that were not filled in, gaps."""
VERBS_IN_S = {"pass"}
"""Verbs of which `you` has one that ends with s."""


def grammar_fault(sentence: str) -> str:
    """What is wrong with the verbs of a sentence; empty if nothing."""
    subject, _, rest = sentence.partition(" ")
    verbs = re.findall(r"^(\w+)|(?<= and )(\w+)", rest.partition(":")[0])
    for verb in ("".join(each) for each in verbs):
        third = verb.endswith("s") and verb not in VERBS_IN_S
        if subject == "you" and third:
            return f"you {verb}"
        if re.fullmatch(r"player_\d", subject) and not third:
            return f"player {verb}"
    return ""


def masked(sentence: str, event: Event) -> str:
    """A sentence without names, some of which have an "and" of their own."""
    names = [each for each in event.values() if isinstance(each, str)]
    for name in sorted(names, key=len, reverse=True):
        sentence = sentence.replace(name, "…")
    return sentence


@pytest.mark.parametrize("game_id", game_ids())
def test_every_kind_of_event_reads_well_to_all(game_id):
    """For a spectator, for who did it and for the others, in random play of all variants."""
    game, told = find(game_id), Counter()
    missing = set(game.events.kinds)
    for index, options in product(range(MOST_GAMES), game.variants):
        if index and not missing:
            break
        table, choose = open_table(game, dict(options), 9, index), chooser(game, index)
        while not table.ending:
            table.play(choose(table))
        if index and not missing & {event["event"] for event in table.events(None)}:
            continue
        for viewer in (None, *range(table.players)):
            for event in table.events(viewer):
                sentence = game.events.sentence(event, viewer)
                assert not RAW.search(sentence), sentence
                if event["event"] not in {kind.name for kind in SHARED}:
                    assert not grammar_fault(masked(sentence, event)), sentence
                if viewer is not None:
                    assert f"player_{viewer}" not in sentence or event["event"] == "now", (sentence, viewer)
                told[event["event"]] += 1
        missing -= set(told)
    print(f"{game_id}: {sum(told.values()):,} sentences of {len(told)} kinds, the rarest {told.most_common()[-1]}")
    assert not missing


SWAP = {"event": "swap", "seat": 0, "card": "sun 1", "castle": "sun", "rainbow": "wizard", "place": 0}


@pytest.mark.parametrize(
    ("game_id", "event", "viewer", "sentence"),
    [
        ("artisans", {"event": "exchange", "seat": 0, "card": "wood", "slot": "slot 1", "put_down": "gold"}, 0,
         "you take wood from slot 1 and put gold there"),
        ("artisans", {"event": "token", "seat": 0}, 0, "you take the token and are first player"),
        ("artisans", {"event": "develop", "seat": 1, "card": "wood", "number": 1, "level": "level 2"}, 0,
         "player_1 develops wood: 1 card to level 2"),
        ("muster", {"event": "draw", "seat": 1, "card": "?", "from": "pile"}, 0, "player_1 draws a hidden card from the pile"),
        ("muster", {"event": "draw", "seat": 0, "card": "sun 1", "from": "sun"}, 0,
         "you draw sun 1 from the castle space of sun"),
        ("muster", {**SWAP, "owner": 0}, 0, "you swap sun 1 for the wizard in your column at sun"),
        ("muster", {**SWAP, "owner": 1}, 0, "you swap sun 1 for the wizard in player_1's column at sun"),
        ("muster", {"event": "bridge", "seat": 0, "card": "sun 3", "castle": "sun", "bridges": 1}, 1,
         "player_0 plays sun 3 at sun over 1 Bridge"),
        ("muster", {"event": "now", "seat": 1, "turn": 1, "laid": None}, 0, "to act: player_1; turn: 1; laid: none"),
        ("muster", {"event": "end", "ending": "terminated", "scores": [3.0, 2.0], "returns": [1.0, -1.0]}, 1,
         "the game is over: scores player_0 3, you 2"),
        ("murano", {"event": "pass", "from_seat": 0, "to_seat": 1, "cards": ["?", "?"]}, 0, "you pass the pack to player_1"),
        ("murano", {"event": "gap", "gap": "gap 5", "to_seat": None}, 0, "1L of gap 5 goes to the supply"),
    ],
)  # fmt: skip
def test_sentences(game_id, event, viewer, sentence):
    assert find(game_id).events.sentence(event, viewer) == sentence


def test_a_planted_fault_of_grammar_is_found():
    assert grammar_fault("you take wood and puts gold there") == "you puts"
    assert grammar_fault("player_1 take wood") == "player take"
    assert not grammar_fault("you pass the pack to player_1")
    assert not grammar_fault("player_1 draws a hidden card from the pile")


def test_a_story_has_a_line_for_each_decision():
    table, generator = open_table(find("murano"), {}, 3), np.random.default_rng(3)
    for _ in range(40):
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    events = table.events(0)
    lines = story(table.game, 0, events)
    assert len(lines) == len(decisions(events)) - 1 == 40
    assert any(line.startswith("you: end turn → ") for line in lines)
    since = since_last_decision(events, 0)
    assert since[0]["event"] == "action"
    assert [event for event in since if event["event"] == "action" and event["seat"] == 0] == [since[0]]
