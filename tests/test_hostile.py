"""Hostile input by the thousand: a documented error and nothing changed, or something harmless. `--size` tries more."""

import copy
import hashlib
import json
import math
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.engine import loops
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.errors import CardtableError, EditionError, IllegalAction, OptionError, ReplayError, StateError
from cardtable.game.game import DIGEST_BYTES, Game
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from cardtable.table import Table
from tools.make_golden import GOLDEN

HOSTILE: list[Any] = [
    *(-1, 10**9, 2**63, 2**64, -(2**63), 10**40, 10**5000),
    *(1.0, 0.5, math.nan, math.inf, 1j, np.float32(0), np.float64(1), np.bool_(True), True, False),
    *(None, "0", "9" * 100_000, "", b"0", [], [0], (0,), {}, {0}, object(), Ellipsis, int, range(1)),
    *(
        np.array([0]),
        np.array(0.0),
        np.array(True),
        np.array("0"),
        np.array(None),
        np.datetime64(0, "s"),
    ),
]
"""What is no action."""


@pytest.fixture(params=game_ids())
def game(request: pytest.FixtureRequest) -> Game:
    return find(request.param)


def all_of(env: aec.TableEnv) -> list[Any]:
    """All that an environment shows and holds, as plain data."""
    seen = [{key: value.tobytes() for key, value in env.observe(agent).items()} for agent in env.possible_agents]
    booked = [env.agents, env.agent_selection, env.rewards, env.terminations, env.truncations, env.infos]
    return copy.deepcopy([env.state_bytes(), env.table.history, *seen, *booked])


# ---- Actions


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_step_takes_what_the_mask_marks_and_refuses_all_else(game_id, options, sized):
    """Every id and everything that is none, through `step`, with and without PettingZoo's wrapper."""
    env = wrappers.env(find(game_id), **options)
    raw: aec.TableEnv = env.unwrapped
    env.reset(seed=1)
    for number in range(sized(3)):
        for _ in range(1 + 7 * number):
            if not raw.table.ending:
                raw.step(choice(raw.table.mask, number, len(raw.table.history)))
        if raw.table.ending:
            env.reset()
        before = all_of(raw)
        illegal = np.flatnonzero(raw.table.mask == 0).tolist()
        where = rf"decision {len(raw.table.history)}, {raw.agent_selection} to act: action .* is not legal; legal: "
        with pytest.raises(IllegalAction, match=where):
            env.step(illegal[0])
        for action in [*illegal, raw.table.mask.size, np.int64(illegal[0]), np.array(illegal[0]), *HOSTILE]:
            with pytest.raises(IllegalAction):
                env.step(action)
        assert all_of(raw) == before
        for action in np.flatnonzero(raw.table.mask).tolist():
            twin = copy.deepcopy(raw)
            twin.step(action)
            assert twin.table.history == [*raw.table.history, action]
        assert all_of(raw) == before


def test_after_the_end_agents_leave_with_none_and_nothing_else(game):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    while not env.table.ending:
        env.step(choice(env.table.mask, 0, len(env.table.history)))
    before = all_of(env)
    for action in (0, -1, "0", 1.5):
        with pytest.raises(ValueError, match="the game is over; allowed: None"):
            env.step(action)
    assert all_of(env) == before
    for _ in env.possible_agents:
        env.step(None)
    assert env.agents == []


def test_an_illegal_lane_does_not_disturb_its_neighbours(game, sized):
    """After a refused step the whole batch plays on as one that has never seen it."""
    chance = np.random.default_rng(3)
    batch, twin = BatchEnv(game, 8, seed=2), BatchEnv(game, 8, seed=2)
    for step in range(sized(60)):
        actions = batch.random_actions(chance)
        spoilt, lane = actions.copy(), step % 8
        spoilt[lane] = [-1, game.actions.size, 2**62, int(np.flatnonzero(batch.frame.action_mask[lane] == 0)[0])][step % 4]
        with pytest.raises(IllegalAction, match=rf"lane {lane}, player_\d to act: action {spoilt[lane]} "):
            batch.step(spoilt)
        for mine, other in zip(batch.step(actions), twin.step(actions), strict=True):
            assert mine.tobytes() == other.tobytes()
        assert batch.records().tobytes() == twin.records().tobytes()


def strange_arrays(actions: np.ndarray, chance: Random) -> Any:
    """The actions in a shape, type or layout of any kind; what numpy cannot make is None."""
    kinds = (
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        ">i8",
        ">u2",
        "f2",
        "f4",
        "f8",
        "c8",
        "?",
        "O",
        "S3",
        "U3",
        "M8[s]",
    )
    dtype = np.dtype(chance.choice(kinds))
    with np.errstate(all="ignore"):
        array = actions.astype(dtype)
    shapes = ((len(actions),), (len(actions), 1), (1, len(actions)), (2, len(actions) // 2), (len(actions), 1, 1))
    layouts = (
        lambda array: array,
        lambda array: np.repeat(array, 2, axis=0)[::2],
        lambda array: array[::-1].copy()[::-1],
        lambda array: np.asfortranarray(array),
        lambda array: np.ma.masked_array(array),
        lambda array: array.tolist(),
        lambda array: tuple(array.tolist()),
        lambda array: array[:-1],
        lambda array: array[:0],
        lambda array: array.view(np.recarray),
        lambda array: array.ravel()[0],
    )
    array = chance.choice(layouts)(array.reshape(chance.choice(shapes) if chance.random() < 0.4 else shapes[0]))
    if isinstance(array, np.ndarray) and chance.random() < 0.5:
        array.flags.writeable = False
    return array


def test_arrays_of_any_shape_type_and_layout(game, sized):
    """Taken if they are the same integers in the right shape; refused otherwise; never changed."""
    chance, taken, number = Random(5), 0, sized(200)
    generator = np.random.default_rng(5)
    batch, twin = BatchEnv(game, 6, seed=2), BatchEnv(game, 6, seed=2)
    for _ in range(number):
        actions = batch.random_actions(generator)
        given = strange_arrays(actions, chance)
        kept, before = copy.deepcopy(given), batch.records().tobytes()
        try:
            batch.step(given)
        except IllegalAction:
            assert batch.records().tobytes() == before
        else:
            whole = np.asarray(given)
            assert whole.dtype.kind in "iu"
            assert whole.tolist() == actions.tolist()
            twin.step(actions)
            taken += 1
        assert batch.records().tobytes() == twin.records().tobytes()
        assert np.array_equal(np.asarray(given), np.asarray(kept))
    print(f"{game.id}: {number} arrays, {taken} taken")
    assert number // 10 < taken < number // 2


def test_things_that_are_no_arrays_are_refused(game):
    batch = BatchEnv(game, 3, seed=2)
    before = batch.records().tobytes()
    for wrong in (*HOSTILE, iter([0, 0, 0]), {0: 0, 1: 0, 2: 0}, [0, None, "0"], np.zeros((3, 0), int)):
        with pytest.raises(IllegalAction):
            batch.step(wrong)
    assert batch.records().tobytes() == before


def test_ragged_lists_are_refused_as_documented(game):
    with pytest.raises(IllegalAction):
        BatchEnv(game, 3, seed=2).step([[0], [0, 0], []])


def test_a_span_of_time_is_no_number(game):
    """Numpy counts it among its integers."""
    span = np.timedelta64(1, "s")
    table = open_table(game, {})
    with pytest.raises(IllegalAction):
        table.checked_action(span)
    for wrong in (lambda: table.redeal(span), lambda: table.redeal(0, seed=span), lambda: BatchEnv(game, span)):
        with pytest.raises(OptionError, match="timedelta64"):
            wrong()


# ---- Saved states


def play_on_checked(table: Table) -> None:
    """Play to the end, every position checked: what was loaded is harmless."""
    for step in range(5_000):
        table.game.raise_fault(table.games, AssertionError)
        if table.ending:
            return
        table.play(choice(table.mask, step, step))
    raise AssertionError("the game does not end")


def half_way(game: Game, options: dict[str, Any], steps: int = 40) -> Table:
    """A table in the middle of a game."""
    table = open_table(game, options, seed=6)
    while not table.ending and len(table.history) < steps:
        table.play(choice(table.mask, 6, len(table.history)))
    return table


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_flipped_bytes_of_a_state_are_refused_even_if_sealed_again_or_harmless(game_id, options, sized):
    table = half_way(find(game_id), options)
    game, packed, before = table.game, table.state_bytes(), table.state_bytes()
    chance, harmless = Random(7), 0
    body = len(packed) - DIGEST_BYTES
    places = range(body) if sized(100) > body else chance.sample(range(body), sized(100))
    for place in places:
        spoilt = bytearray(packed)
        spoilt[place] ^= chance.randrange(1, 256)
        with pytest.raises(StateError):
            table.load_state_bytes(bytes(spoilt))
        sealed = bytes(spoilt[:body]) + hashlib.sha256(spoilt[:body]).digest()[:DIGEST_BYTES]
        other = Table(game, table.options)
        try:
            other.load_state_bytes(sealed)
        except StateError:
            continue
        harmless += 1
        if harmless % 8 == 1:
            assert game.restore(other.state_dict(), other.options).tobytes() == other.games.tobytes()
            play_on_checked(other)
    print(f"{game_id} {options}: {len(places)} bytes flipped, {harmless} sealed again make another position of the game")
    assert table.state_bytes() == before


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_flipped_bytes_of_a_readable_state_are_refused_or_harmless(game_id, options, sized):
    table = half_way(find(game_id), options)
    text, before, chance = json.dumps(table.state_dict()).encode(), table.state_bytes(), Random(8)
    places = range(len(text)) if sized(60) > len(text) else chance.sample(range(len(text)), sized(60))
    for count, place in enumerate(places):
        spoilt = bytearray(text)
        spoilt[place] ^= 1 << chance.randrange(7)
        try:
            plain = json.loads(spoilt.decode("utf-8", errors="replace"))
        except ValueError:
            continue
        other = Table(table.game, table.options)
        try:
            other.load_state_dict(plain)
        except StateError:
            continue
        if count % 8 == 0:
            play_on_checked(other)
    assert table.state_bytes() == before


# ---- Replays


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*/*.json")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_flipped_bytes_of_a_golden_game_are_found_or_harmless(path, sized):
    text, golden, chance = path.read_bytes(), Replay.load(path), Random(9)
    golden.verify()
    places = range(len(text)) if sized(4) > len(text) else chance.sample(range(len(text)), sized(4))
    for place in places:
        spoilt = bytearray(text)
        spoilt[place] ^= 1 << chance.randrange(7)
        try:
            replay = Replay.from_json(spoilt.decode("utf-8", errors="replace"))
            end = replay.verify()
        except ReplayError:
            continue
        assert Replay.of(end) == golden


def test_a_replay_of_another_version_is_refused_by_number(game):
    table = half_way(game, {})
    text = Replay.of(table).to_json()
    for rules in (game.rules_version + 1, game.rules_version - 1, "1", None):
        data = {**json.loads(text), "rules": rules}
        with pytest.raises(ReplayError, match=f"of {game.id} rules {rules}; installed: rules {game.rules_version}"):
            Replay.from_json(json.dumps(data))
    for name in (game.id.replace("_v0", "_v7"), "chess_v0", None, 3):
        with pytest.raises(ReplayError, match="cannot be played here"):
            Replay.from_json(json.dumps({**json.loads(text), "game": name}))
    with pytest.raises(ReplayError, match="not a replay"):
        Replay.from_json(json.dumps({**json.loads(text), "format": "cardtable replay 3"}))


def test_a_state_of_another_version_is_refused_by_number(game):
    table = half_way(game, {})
    plain, packed = table.state_dict(), table.state_bytes()
    with pytest.raises(StateError, match=rf"state\['rules'\] is {game.rules_version + 1}, not {game.rules_version}"):
        table.load_state_dict({**plain, "rules": game.rules_version + 1})
    other = packed.replace(b" rules 1 ", b" rules 2 ", 1)
    with pytest.raises(StateError, match=r"rules 2 .*rules 1 "):
        table.load_state_bytes(other)


# ---- Options and editions


def any_value(chance: Random, depth: int = 2) -> Any:
    """Anything at all."""
    simple = [
        *HOSTILE,
        *(
            1,
            2,
            3,
            4,
            0,
            20,
            255,
            10**6,
            "random",
            "draft",
            "first_game",
            "A",
            "B",
            "reconstruction",
            "../x.toml",
            "\0",
            "x" * 500,
        ),
        [1, 2, 3, 4],
        np.int64(2),
    ]
    if depth and chance.random() < 0.3:
        inside = [any_value(chance, depth - 1) for _ in range(chance.randrange(4))]
        return inside if chance.random() < 0.5 else {str(number): value for number, value in enumerate(inside)}
    return chance.choice(simple)


def test_options_of_any_kind(game, sized):
    """A documented error, or options that a game can be dealt with and that survive a replay."""
    chance, accepted = Random(11), 0
    names = [*game.options.names(), "colour"]
    for _ in range(sized(600)):
        options = {name: any_value(chance) for name in chance.sample(names, chance.choice((1, 1, 2, 3)))}
        given = pickle.dumps(options)
        try:
            parsed = game.parse_options(options)
        except CardtableError:
            assert pickle.dumps(options) == given
            continue
        accepted += 1
        plain = json.loads(json.dumps(parsed.to_dict()))
        assert game.parse_options(plain) == parsed
        table = Table(game, parsed)
        table.deal(1)
    assert accepted


def editions() -> list[tuple[str, Any]]:
    """The edition files that games are tested with."""
    return [(game_id, options["edition"]) for game_id, options in VARIANTS if "edition" in options]


def spoil(text: str, chance: Random) -> str:
    """An edition file with a small or a large error."""
    lines = text.splitlines()
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(7):
        case 0:
            del lines[place]
        case 1:
            lines.insert(place, lines[other])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            lines = lines[:place]
        case 4:
            key = lines[place].partition("=")[0]
            values = (
                '""',
                "-1",
                "99",
                "1e400",
                "nan",
                "true",
                "[]",
                "[[]]",
                "{}",
                '"x"',
                "1979-05-27",
                "[" * 2000,
                '"\\u0000"',
            )
            lines[place] = f"{key}= {chance.choice(values)}"
        case 5:
            at = chance.randrange(len(lines[place]) + 1)
            lines[place] = lines[place][:at] + chance.choice("\0\"'=[]{}#é\x7f0a ") + lines[place][at:]
        case _:
            lines[place] = "".join(chance.sample(lines[place], len(lines[place])))
    return "\n".join(lines)


@pytest.mark.parametrize(("game_id", "path"), editions(), ids=variant_id)
def test_edition_files_with_errors_are_refused_or_can_be_played_with(game_id, path, tmp_path, sized):
    game, text, chance, refused = find(game_id), path.read_text(encoding="utf-8"), Random(12), 0
    file, number = tmp_path / "edition.toml", sized(150)
    for _ in range(number):
        file.write_text(spoil(text, chance), encoding="utf-8")
        try:
            parsed = game.parse_options({"edition": file})
        except EditionError:
            refused += 1
            continue
        if chance.random() < 0.1:
            table = Table(game, parsed)
            table.deal(1)
            play_on_checked(table)
            assert Replay.from_json(Replay.of(table).to_json()).verify().state_hash() == table.state_hash()
    print(f"{game_id}: {number} edition files, {refused} refused")
    assert refused > number // 4


def test_a_game_that_was_refused_everything_still_plays(game):
    """After all that hostile input the compiled engine is what it was: one more game, checked from deal to end."""
    table = open_table(game, {}, seed=3)
    play_on_checked(table)
    assert loops.check_one(table.games) == 0
