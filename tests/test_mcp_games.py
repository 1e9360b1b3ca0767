"""The games of one server, without the protocol: locks, seats, agents that fail, what is allowed, what is seen."""

import random
import re
import threading
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, variant_id

from cardtable.errors import AgentError, Busy, IllegalAction, OptionError
from cardtable.game.registry import find
from cardtable.mcp import games as games_module
from cardtable.mcp.games import Games
from cardtable.mcp.permissions import LARGEST_ARGUMENT, Permissions
from cardtable.players import roster
from cardtable.players.agent import LEFT, Agent
from cardtable.replay import Replay
from cardtable.table import Table


class Stubborn(Agent):
    """Fails as long as it is told to."""

    failing = True

    def act(self, views):
        if Stubborn.failing:
            raise RuntimeError("no answer")
        return views.mask.argmax(axis=1)


class Listener(Agent):
    """Wants to be told what happens, as bots do."""

    wants_stories = True

    def __init__(self, game, options, argument=None):
        super().__init__(game, options, argument)
        self.stories, self.ends, self.closed = [], [], 0
        MADE.append(self)

    def act(self, views):
        self.stories += [seen.number for seen in views.seen]
        return views.mask.argmax(axis=1)

    def game_over(self, seen, ending, scores, returns):
        self.ends.append((seen.number, seen.seat, ending, scores, returns))

    def close(self):
        self.closed += 1


MADE: list[Listener] = []


@pytest.fixture
def listener(monkeypatch):
    monkeypatch.setitem(roster._REGISTERED, "listener", roster.Entry("listens", Listener, ""))
    MADE.clear()


@pytest.fixture
def stubborn():
    roster.register("stubborn", "fails at will")(Stubborn)
    Stubborn.failing = True
    yield
    roster._REGISTERED.pop("stubborn")


def test_an_agent_that_fails_is_named_and_may_try_again(stubborn):
    games = Games()
    with pytest.raises(AgentError, match=r"muster-1: player_0 \(stubborn\) could not decide: RuntimeError: no answer"):
        games.start("muster", against=["stubborn"], seats=[1], seed=1)
    with pytest.raises(AgentError, match="after 0 decisions"):
        games.see("muster-1")
    Stubborn.failing = False
    position = games.see("muster-1")
    assert position.your_turn
    Stubborn.failing = True
    lay = next(name for name in position.legal_actions if name.startswith("lay"))  # one draw is due after it
    position = games.play("muster-1", lay)
    with pytest.raises(AgentError, match=f"after {position.decisions + 1} decisions"):  # the move was played, and is not lost
        games.play("muster-1", "draw from pile")
    with pytest.raises(AgentError, match="could not decide"):
        games.play("muster-1", position.legal_actions[0])
    Stubborn.failing = False
    assert games.see("muster-1").decisions > position.decisions + 1
    assert Replay.from_json(games.close("muster-1")).verify().history


def test_an_agent_that_plays_what_is_not_legal_is_refused(stubborn, monkeypatch):
    monkeypatch.setattr(Stubborn, "act", lambda self, views: views.mask.argmin(axis=1))
    games = Games()
    with pytest.raises(AgentError, match="is not legal"):
        games.start("muster", against=["stubborn"], seats=[1], seed=1)
    assert games.names() == ["muster-1"]


def test_a_game_in_which_an_agent_thinks_holds_up_no_other(stubborn, monkeypatch):
    thinking, go_on = threading.Event(), threading.Event()

    def act(self, views):
        thinking.set()
        assert go_on.wait(60)
        return views.mask.argmax(axis=1)

    monkeypatch.setattr(Stubborn, "act", act)
    monkeypatch.setattr(games_module, "PATIENCE", 0.05)
    games, answers = Games(), []
    slow = threading.Thread(target=lambda: answers.append(games.start("muster", against=["stubborn"], seats=[1])))
    slow.start()
    assert thinking.wait(60)
    other = games.start("muster", against=["random"])
    assert games.play(other.game_id, other.legal_actions[0]).decisions
    for call in (games.see, games.close, games.result):
        with pytest.raises(Busy, match="muster-1: an agent is still thinking"):
            call("muster-1")
    go_on.set()
    slow.join(60)
    assert answers[0].your_turn


def test_agents_hear_what_happens_and_how_games_end(listener):
    games, generator = Games(), random.Random(3)
    position = games.start("muster", {"max_turns": 6}, ["listener"], seed=1)
    while not position.over:
        position = games.play(position.game_id, generator.choice(position.legal_actions))
    (agent,), result = MADE, games.result(position.game_id)
    (number,) = {*agent.stories}  # one game, and at every decision
    assert agent.ends == [(number, 1, result.ending, result.scores, result.returns)]
    games.see(position.game_id)
    games.close(position.game_id)
    assert (len(agent.ends), agent.closed) == (1, 1)


def test_agents_are_let_go(listener):
    games = Games(most=1)
    name = games.start("muster", against=["listener"], seats=[0], seed=1).game_id
    games.advice(name, "listener")
    player, adviser = MADE
    assert (player.closed, adviser.closed, adviser.stories != []) == (0, 1, True)
    with pytest.raises(OptionError, match="close one first"):
        games.start("muster", against=["listener"])
    assert MADE[-1].closed == 1
    games.close(name)
    assert [end[1:] for end in player.ends] == [(1, LEFT, None, None)]
    assert player.closed == 1


def test_only_so_many_games_are_kept():
    games = Games(most=2)
    first, second = (games.start("muster", against=["random"]).game_id for _ in range(2))
    with pytest.raises(OptionError, match=f"2 games are kept, allowed: 2: close one first: {first}, {second}"):
        games.start("muster", against=["random"])
    games.close(first)
    third = games.start("muster", against=["random"]).game_id
    assert third not in (first, second)


def test_a_client_may_hold_several_seats():
    games, generator = Games(), random.Random(3)
    position = games.start("artisans", {"num_players": 4}, ["random"], seats=[1, 3], seed=4)
    assert position.players == ["random", "you", "random", "you"]
    moved = set()
    while not position.over:
        assert position.seat == position.to_act
        other = 4 - position.seat
        assert games.see(position.game_id, other).legal_actions == []
        with pytest.raises(IllegalAction, match=f"player_{other} is not to act"):
            games.play(position.game_id, position.legal_actions[0], seat=other)
        moved.add(position.seat)
        position = games.play(position.game_id, generator.choice(position.legal_actions), seat=position.seat)
    assert moved == {1, 3}


def test_all_seats_may_be_the_clients():
    position = Games().start("muster", against=[], seats=[0, 1])
    assert position.players == ["you", "you"]


def test_agents_are_allowed_by_what_follows_their_colon():
    permissions = Permissions(agents=("ppo:mine.safetensors",))
    for name in ("random", "ppo", "search:1", f"search:{LARGEST_ARGUMENT}", "ppo:mine.safetensors", "heuristic:007"):
        permissions.require_agent(name)
    for name in (
        "search:",
        "search:10001",
        "search:-1",
        "search:٣",
        "ppo:other",
        "cmd:ls",
        "x:" + "1" * 9999,
        "ppo:./mine.safetensors",
    ):
        with pytest.raises(AgentError, match="--allow-agent"):
            permissions.require_agent(name)


def test_editions_are_content_or_allowed_files(tmp_path):
    game = find("murano")
    path = str(tmp_path / "edition.toml")
    for options in ({}, {"edition": "reconstruction"}, {"edition": {"creations": []}}):
        Permissions().require_options(game, options)
    Permissions(editions=(path,)).require_options(game, {"edition": path})
    with pytest.raises(OptionError, match="--allow-edition"):
        Permissions().require_options(game, {"edition": path})


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_answers_do_not_depend_on_what_the_seat_cannot_know(game_id, options):
    """Hidden cards drawn anew: the same answers, but for what has happened, which a redealt table does not know."""
    games = Games()
    options = dict(options)
    game, generator, compared = find(game_id), np.random.default_rng(7), 0
    players = game.parse_options(options).num_players
    position = games.start(game_id, options, ["random"], seats=[0], seed=7)
    sitting = games._sittings[position.game_id]
    while not position.over and compared < 60:
        table = sitting.table
        shown = [asdict(games.see(position.game_id)), asdict(games.result(position.game_id))]
        sitting.table = table.redeal(0, int(generator.integers(2**32)))
        redealt = [asdict(games.see(position.game_id)), asdict(games.result(position.game_id))]
        sitting.table = table
        assert without_story(shown) == without_story(redealt)
        compared += 1
        position = games.play(position.game_id, str(generator.choice(position.legal_actions)))
    print(f"{game_id} {options}: {compared} positions of {players} players compared")
    assert compared >= 10


def without_story(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    position, result = answers
    text = re.sub(r"\nWhat happened since.*?(\n\n|$)", "\n", position["text"], flags=re.DOTALL)
    return [{**position, "text": text, "decisions": 0}, result]


def test_a_planted_leak_would_be_found(monkeypatch):
    monkeypatch.setattr(Table, "text", lambda table, seat=None, moves=6: str(table.state_dict()))
    with pytest.raises(AssertionError):
        test_answers_do_not_depend_on_what_the_seat_cannot_know("muster_v0", {})
