"""Nothing hidden reaches a seat: all that an environment gives to it stays the same while hidden cards are redrawn."""

from typing import Any
from zlib import crc32

import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id

from cardtable.envs.aec import TableEnv
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

POSITIONS = 12
"""Looked at by every seat, for each variant."""
SECRET_DRAFT = {"num_players": 3, "draft": True}


def shown(env: TableEnv, seat: int) -> dict[str, Any]:
    """All that an environment gives to a seat."""
    agent = env.possible_agents[seat]
    seen = env.observe(agent)
    given: dict[str, Any] = {
        "observation": seen["observation"].tobytes(),
        "action mask": seen["action_mask"].tobytes(),
        "text": env.table.text(seat),
        "moves": env.table.moves_seen_by(seat),
        "info": env.infos[agent],
        "summary": env.summary(agent),
        "reward": env.rewards[agent],
        "end": (env.terminations[agent], env.truncations[agent]),
        "agent selected": env.agent_selection,
    }
    if env.agent_selection == agent:
        last, *rest = env.last()
        given["last"] = ({key: value.tobytes() for key, value in last.items()}, rest)
        given["render"] = env.render()
        given["legal actions"] = env.legal_actions()
    return given


def other_world(env: TableEnv, seat: int, seed: int) -> TableEnv:
    """The environment with all that the seat cannot know drawn anew; so are the moves that others made in secret."""
    world = env.redeal(seat, seed)
    world.table.movers = list(env.table.movers)
    world.table.history = [
        action if mover == seat else secretly_other(env.table.game, action, seed)
        for action, mover in zip(env.table.history, env.table.movers, strict=True)
    ]
    return world


def secretly_other(game: Game, action: int, seed: int) -> int:
    """Another action of the same block if others cannot tell the two apart, otherwise the action itself."""
    for block, span in zip(game.actions.blocks, game.actions.at, strict=True):
        if block.secret and span.start <= action < span.stop:
            return span.start + (action - span.start + 1 + seed % (block.size - 1)) % block.size
    return action


def leaks(env: TableEnv, seat: int, seed: int) -> list[str]:
    """What the seat is given that would be otherwise if things were that it cannot know."""
    truth, world = shown(env, seat), shown(other_world(env, seat, seed), seat)
    return [what for what, given in truth.items() if given != world[what]]


def secrets(table: Table) -> dict[str, Any]:
    """The whole state but for the random stream."""
    return {name: value for name, value in table.state_dict().items() if name not in ("seed", "index", "rng")}


def positions(game: Game, options: dict[str, Any], number: int):
    """An environment at positions spread over some games, the last of each game included."""
    found = 0
    for index in range(number):
        env = TableEnv(game, render_mode="ansi", **options)
        env.reset(seed=index)
        while True:
            if env.table.ending or (len(env.table.history) + index) % 9 == 0:
                yield env
                found += 1
            if found >= number:
                return
            if env.table.ending:
                break
            env.step(choice(env.table.mask, index, len(env.table.history)))


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_nothing_that_a_seat_cannot_know_changes_what_it_is_given(game_id, options, sized):
    game, number = find(game_id), sized(POSITIONS)
    pairs = differing = 0
    for count, env in enumerate(positions(game, dict(options), number)):
        for seat in range(env.table.players):
            assert leaks(env, seat, count) == []
            differing += secrets(env.table) != secrets(env.table.redeal(seat, count))
            pairs += 1
    print(f"{game.id} {options}: {pairs:,} (position, seat) pairs, {differing:,} redeals differ from the truth")
    assert pairs >= number
    assert differing > pairs // 2


# ---- Planted leaks


def in_the_observation(monkeypatch):
    """The last number shows something of what no seat sees."""
    honest = TableEnv.observe

    def observe(env, agent):
        seen = honest(env, agent)
        seen["observation"][-1] = env.state()[-env.table.game.hidden.size :] @ np.arange(env.table.game.hidden.size)
        return seen

    monkeypatch.setattr(TableEnv, "observe", observe)


def in_the_mask(monkeypatch):
    """Whether an action is marked depends on the whole state."""
    honest = TableEnv.observe

    def observe(env, agent):
        seen = honest(env, agent)
        seen["action_mask"][0] = crc32(str(secrets(env.table)).encode()) & 1
        return seen

    monkeypatch.setattr(TableEnv, "observe", observe)


def in_the_text(monkeypatch):
    """The text ends with the whole state."""
    honest = Table.text
    monkeypatch.setattr(Table, "text", lambda table, seat=None, moves=6: honest(table, seat, moves) + str(secrets(table)))


PLANTED = {
    "observation": in_the_observation,
    "action mask": in_the_mask,
    "text": in_the_text,
}


@pytest.mark.parametrize("what", PLANTED)
@pytest.mark.parametrize("game_id", game_ids())
def test_a_planted_leak_is_found(game_id, what, monkeypatch):
    PLANTED[what](monkeypatch)
    found = {name for count, env in enumerate(positions(find(game_id), {}, 8)) for name in leaks(env, 0, count)}
    assert what in found


@pytest.mark.parametrize("game_id", game_ids())
def test_infos_that_tell_a_secret_are_found(game_id):
    env = TableEnv(find(game_id), render_mode="ansi")
    env.reset(seed=1)

    def telling(env: TableEnv) -> dict[str, Any]:
        env.infos = {agent: secrets(env.table) for agent in env.possible_agents}
        return shown(env, 0)

    assert telling(env)["info"] != telling(other_world(env, 0, 1))["info"]


def test_secret_moves_of_others_that_are_told_are_found(monkeypatch):
    names = find("murano").actions.names
    monkeypatch.setattr(Table, "_moves_seen_by", lambda table, seat: [names[action] for action in table.history])
    found = {name for count, env in enumerate(positions(find("murano"), SECRET_DRAFT, 4)) for name in leaks(env, 0, count)}
    assert {"moves", "text"} <= found


# ---- The batch shows what the table shows


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_batch_shows_what_the_seat_to_act_sees_at_a_table(game_id, options):
    """So what is shown above of tables holds for batches."""
    game = find(game_id)
    batch, table = BatchEnv(game, 1, seed=4, **options), Table(game, game.parse_options(options))
    table.deal(4)
    while not table.ending:
        frame = batch.frame
        assert frame.seat[0] == table.seat
        assert frame.observation[0].tobytes() == table.observe(table.seat).tobytes()
        assert frame.action_mask[0].tobytes() == table.mask.tobytes()
        action = choice(table.mask, 2, len(table.history))
        batch.step([action])
        table.play(action)
