"""What a browser receives for a seat holds nothing that the seat cannot know: whole games of all variants.

Every message is made of parts that other tests prove: the picture and the events of the seat. Here the messages themselves,
hints too, are compared byte by byte in deals that the seat cannot tell apart, and searched for the cards of other hands.
"""

import asyncio
import json
from typing import Any

import numpy as np
import pytest
from cardtable_agents.web.sockets import Page
from cardtable_agents.web.tables import HERE, LINK, OpenTable
from cardtable_agents.web.thinkers import Thinkers
from helpers import VARIANTS, variant_id, walk
from starlette.websockets import WebSocketDisconnect
from web_server import serving

from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.table import Table

ADVISERS = ("random", "heuristic", "search:100", "ppo")
POSITIONS = 12
"""Of a game of each variant, from its start to its end, at which messages are compared for every seat."""
SALT = "5a17" * 8
FIELDS = {
    "type", "number", "game", "title", "seat", "own", "players", "turn", "decides", "covered", "actions", "take_back", "pace",
    "sets_pace", "fault", "picture", "log", "end",
}  # fmt: skip
"""All that a state holds."""


@pytest.fixture(scope="module")
def thinkers():
    made = Thinkers(1)
    yield made
    made.close()


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(variant_id, variant)))
def variant(request: pytest.FixtureRequest) -> tuple[Game, dict[str, Any]]:
    game_id, options = request.param
    return find(game_id), dict(options)


def seated(game: Game, table: Table) -> OpenTable:
    """A person with a link at every seat of a game that is in progress."""
    made = OpenTable(game, table.options, [LINK] * table.players, 1, 0.0)
    made.table, made._salt = table, SALT
    return made


def pages(table: OpenTable) -> list[Page]:
    return [Page(None, table, link, None, []) for link in table.links]  # type: ignore[arg-type]


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
    opened = seated(game, table)
    wire = Wire(
        [
            {"do": "take_back"},
            {"do": "uncover", "seat": 1 - seat},
            {"do": "play", "action": -1, "number": opened.number},
            *({"do": "hint", "agent": name, "number": opened.number} for name in advisers),
        ]
    )
    wire.page = Page(wire, opened, opened.links[seat], thinkers, advisers)  # type: ignore[arg-type]
    await wire.page.run()
    return wire.written


def test_what_a_socket_is_sent_is_the_same_for_deals_that_the_seat_cannot_tell_apart(variant, thinkers, sized):
    game, options = variant
    tables = [table.clone() for table in walk(game, options, games=1, seed=9)]
    generator = np.random.default_rng(7)
    compared = hints = followed = 0
    for place in np.linspace(0, len(tables) - 1, sized(POSITIONS)).astype(int).tolist():
        for seat in range(tables[place].players):
            advisers = ADVISERS if seat == tables[place].seat else ADVISERS[:1]
            worlds = [tables[place].redeal(seat, seed) for seed in (1, 2)]
            first, second = (asyncio.run(conversation(game, world, seat, advisers, thinkers)) for world in worlds)
            assert first == second
            compared += len(first)
            hints += sum('"type": "hint"' in text for text in first)
            followed += follow([seated(game, tables[place].redeal(seat, seed)) for seed in (1, 2)], seat, generator)
    print(f"{game.id} {options}: {compared} messages compared, {hints} of them hints; {followed} after a further decision")
    assert compared > 4 * sized(POSITIONS)
    assert hints >= sized(POSITIONS)


def follow(worlds: list[OpenTable], seat: int, generator: np.random.Generator) -> int:
    """Play the same action in both worlds: as long as the seat sees the same, it is sent the same, the log included."""
    both = np.flatnonzero(worlds[0].table.mask & worlds[1].table.mask)
    if worlds[0].turn is None or not len(both):
        return 0
    talks = [pages(world)[seat] for world in worlds]
    for talk in talks:
        talk.state()
    action = int(generator.choice(both))
    for world in worlds:
        world.table.play(action)
    if worlds[0].table.view(seat) != worlds[1].table.view(seat):
        return 0  # a card was turned up, or drawn by the seat itself
    if worlds[0].table.events(seat) != worlds[1].table.events(seat):
        return 0
    assert talks[0].state() == talks[1].state()
    return 1


@pytest.mark.parametrize(
    ("name", "leak"),
    [
        ("picture", lambda self, viewer: self.table.picture(None)),
        ("actions", lambda self: [{"id": int(card)} for card in self.table.state_bytes()[-64:]]),
    ],
)
def test_a_planted_leak_is_found(thinkers, monkeypatch, name, leak):
    """If the picture were that of a spectator, or hints were made from the table, the comparison would fail."""
    monkeypatch.setattr(OpenTable, name, leak)
    with pytest.raises(AssertionError):
        test_what_a_socket_is_sent_is_the_same_for_deals_that_the_seat_cannot_tell_apart(
            (find("muster"), {}), thinkers, lambda number: number
        )


def test_messages_of_a_whole_game_hold_the_seats_picture_and_events_and_nothing_else(variant):
    game, options = variant
    table, generator = Table(game, options), np.random.default_rng(8)
    table.deal(8)
    open_table = seated(game, table)
    talks = pages(open_table)
    heard: list[list[Any]] = [[] for _ in talks]
    checked = 0
    while True:
        for seat, talk in enumerate(talks):
            state = talk.state()
            assert set(state) == FIELDS
            assert state["picture"] == table.picture(seat)
            assert state["log"]["from"] == len(heard[seat])
            heard[seat] += state["log"]["entries"]
            assert bool(state["actions"]) == (table.seat == seat and not table.ending)
            checked += 1
        if table.ending:
            break
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
        open_table._change()
    for seat, entries in enumerate(heard):
        assert [event for entry in entries for event in entry["events"]] == table.events(seat)
    print(f"{game.id} {options}: {checked} messages")
    assert checked > 20


def hand_words(table: Table, seat: int) -> set[str]:
    """Cards that only this seat sees, as its view calls them."""
    own, others = table.view(seat)["hand"][f"player_{seat}"], table.view(1 - seat)
    return {card for card in own if f'"{card}"' not in json.dumps(others)}


def test_over_the_wire_a_seat_never_receives_the_names_of_the_others_cards():
    """A whole game of Muster between two sockets, each searched for cards that only the other saw."""
    with serving() as server:
        made = server.open(seats=("link", "link"), seed=12)
        open_table = server.site.tables.find(made["table"])
        with (
            server.joined(made["table"], made["links"][0]["key"]) as first,
            server.joined(made["table"], made["links"][1]["key"]) as second,
        ):
            talks, states, searched = (first, second), [first.hear(), second.hear()], 0
            own = 0
            while states[0]["turn"] is not None:
                turn, number = states[0]["turn"], states[0]["number"]
                secret = [hand_words(open_table.table, seat) for seat in (0, 1)]
                for seat in (0, 1):
                    text = json.dumps([states[seat]["picture"], states[seat]["actions"]])
                    named = {card for card in secret[1 - seat] if f'\\"{card}\\"' in text or f'"{card}"' in text}
                    assert not named - set(open_table.table.view(seat)["hand"][f"player_{seat}"])
                    searched += len(secret[1 - seat])
                    own += sum(f'aria-label=\\"{card}\\"' in text for card in secret[seat])
                talks[turn].play(states[turn], place=len(states[turn]["actions"]) // 2)
                for seat, talk in enumerate(talks):
                    while states[seat]["number"] <= number:
                        states[seat] = talk.hear()
    print(f"searched for {searched} cards")
    assert searched > 100
    assert own > 50  # so a card in a message is found if it is there


def test_covered_seats_are_sent_nothing():
    game = find("artisans")
    table = OpenTable(game, game.parse_options({"num_players": 3}), [HERE, HERE, LINK], 3)
    page = Page(None, table, table.links[0], None, [])  # type: ignore[arg-type]
    state = page.state()
    assert state["covered"] in (0, 1)
    assert set(state) == FIELDS - {"picture", "log", "end"}
    assert state["actions"] == []
