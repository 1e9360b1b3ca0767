"""What every agent promises: legal actions only, nothing hidden seen, the same choice for the same seed."""

import hashlib
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from cardtable_agents.arena.match import Match
from cardtable_agents.evaluations import evaluation
from cardtable_agents.players.best import CHOSEN
from helpers import SALT, VARIANTS, choice, open_table, states, variant_id

from cardtable.engine import rng
from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import load_module, make_agent, names, register
from cardtable.players.views import Views, view_of

ROSTER = ["random", "heuristic", "search:12", "search:12:net"]
CASES = [(*variant, name) for variant in VARIANTS for name in ROSTER]
SHOWN = ("observation", "mask", "seat", "records")
"""What a view shows, its random bits apart."""
POSITIONS = 12
REDEALS = 3


def varied_positions(game, options, number):
    """Tables from the whole length of random games, some decisions apart; no game is number 0 of its seed."""
    table, taken = open_table(game, options, index=3), 0
    while taken < number:
        if table.ending:
            table = open_table(game, options, index=5 * taken + 4, seed=taken + 2)
        if len(table.history) % 7 == 0:
            taken += 1
            yield table
        table.play(choice(table.mask, 0, len(table.history)))


def hidden_part(table):
    """The state without the streams that a redeal replaces in any case."""
    return {name: value for name, value in table.state_dict().items() if name not in ("seed", "index", "rng")}


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_no_agent_sees_what_its_seat_cannot_know(game_id, options):
    """All hidden cards are drawn anew, in a game of another number: views are the same to the bit but for their random bits;
    with the same random bits so are the choices; and the redraw really differs."""
    game = find(game_id)
    agents = [make_agent(name, game, game.parse_options(options)) for name in ROSTER]
    different = 0
    for table in varied_positions(game, options, POSITIONS):
        view = view_of(table, SALT)
        chosen = [agent.act(view).tolist() for agent in agents]
        for seed in range(REDEALS):
            world = table.redeal(table.seat, seed)
            different += hidden_part(world) != hidden_part(table)
            other = view_of(world, SALT)
            assert world.record.index != table.record.index
            for name in SHOWN:
                assert getattr(view, name).tobytes() == getattr(other, name).tobytes(), name
            assert [agent.act(replace(other, key=view.key)).tolist() for agent in agents] == chosen
    assert different > POSITIONS * REDEALS / 2


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_no_view_holds_the_number_of_its_deal(game_id, options):
    """The same position with another seed, number and random stream: only the random bits of the view differ."""
    for table in varied_positions(find(game_id), options, POSITIONS):
        view = view_of(table, SALT)
        for name in ("seed", "index", "rng"):
            table.record[name] ^= np.uint64(0xBEEF)
        other = view_of(table, SALT)
        assert [getattr(view, name).tobytes() for name in SHOWN] == [getattr(other, name).tobytes() for name in SHOWN]
        assert view.key != other.key


# ---- Random bits


class Listener(Agent):
    """Plays the first legal action and remembers (key, length, number of the deal as the match knows it)."""

    def __init__(self, game, options):
        super().__init__(game, options)
        self.heard = []

    def act(self, views):
        self.heard += zip(views.key.tolist(), views.records["length"].tolist(), strict=True)
        return views.mask.argmax(axis=1)


def heard_in_a_match(salt, seed=7, first=40):
    game = find("muster")
    options = game.parse_options({"max_turns": 20})
    agent = Listener(game, options)
    Match(game, options, [agent] * 2, seed, first, 6, salt).play()
    assert len(agent.heard) > 100
    return agent.heard


def stream(seed, number):
    return int(rng.stream(np.uint64(seed), np.uint64(number)))


def mixed_by_seed(seed, deal, length):
    """How keys were made from the seed of the match, before there were salts."""
    start = int.from_bytes(hashlib.sha256(f"agents {seed}".encode()).digest()[:8])
    return stream(stream(start, deal), length)


def streams_of_seed(seed, deal, length):
    """What comes to mind first: the streams of the game itself."""
    return stream(stream(seed, deal), length)


def hashed_by_seed(seed, deal, length):
    """The hash that is used, with the seed for a salt."""
    secret = keys.secret_of(str(seed))
    return int(keys.keyed_hash(secret[0], secret[1], np.uint64(deal), np.uint64(length)))


GUESSES = [mixed_by_seed, streams_of_seed, hashed_by_seed]


def deals_found(heard, guess):
    """At how many decisions an agent finds seed and deal by trying small ones."""
    tried = {(guess(seed, deal, length), length) for seed in range(12) for deal in range(50) for length in range(8)}
    return sum(each in tried for each in heard)


@pytest.mark.parametrize("guess", GUESSES)
def test_small_seeds_and_deals_lead_to_no_key(guess, monkeypatch):
    assert deals_found(heard_in_a_match(None), guess) == 0

    def planted(games, secret, bits):
        bits[:] = [guess(7, index, length) for index, length in zip(games["index"], games["length"], strict=True)]

    monkeypatch.setattr("cardtable.players.keys.write_keys", planted)
    assert deals_found(heard_in_a_match(None), guess) >= 40  # the agent that tries does find what can be found


def unmixed(bits):
    """What `rng.mix` made these bits of."""
    for shift, factor in ((31, int(rng.MIX_2)), (27, int(rng.MIX_1)), (30, 1)):
        bits ^= (bits >> shift) ^ (bits >> 2 * shift)
        bits = bits * pow(factor, -1, 2**64) % 2**64
    return bits


def numbers_between(heard):
    """Pairs of small deal numbers that two keys tell of, if keys are `rng.stream`s of a secret, by calculating backwards."""
    golden = int(rng.GOLDEN)
    roots = {unmixed((unmixed(unmixed(key) ^ (length * golden) % 2**64) - golden) % 2**64) for key, length in heard}
    apart = {(a * golden % 2**64) ^ (b * golden % 2**64) for a in range(60) for b in range(a)}
    return sum(one ^ other in apart for one in roots for other in roots)


def test_nothing_can_be_calculated_backwards_from_keys(monkeypatch):
    """A secret is not enough: what was mixed can be unmixed, and the secret cancels out between two deals."""
    assert numbers_between(heard_in_a_match(None)[:60]) == 0

    def planted(games, secret, bits):
        for lane, (index, length) in enumerate(zip(games["index"], games["length"], strict=True)):
            bits[lane] = stream(stream(secret[0], index), length)

    monkeypatch.setattr("cardtable.players.keys.write_keys", planted)
    assert numbers_between(heard_in_a_match(None)[:60]) > 0


def test_keys_are_made_by_siphash():
    """The vector of 16 bytes that its authors publish: key and message are the bytes 0, 1, 2, …"""
    low, high = (np.frombuffer(bytes(range(start, start + 8)), "<u8")[0] for start in (0, 8))
    assert int(keys.keyed_hash(low, high, low, high)) == 0x3F2ACC7F57C29BDB


def test_a_match_is_the_same_for_the_same_salt_and_draws_one_that_nobody_knows():
    assert heard_in_a_match(SALT) == heard_in_a_match(SALT)
    assert not set(heard_in_a_match(SALT)) & set(heard_in_a_match(None))
    assert not set(heard_in_a_match(None)) & set(heard_in_a_match(None))
    with pytest.raises(AgentError, match="salt 'XYZ': allowed: 32 hexadecimal digits"):
        heard_in_a_match("XYZ")


# ---- Matches


@pytest.mark.parametrize(("game_id", "options", "name"), CASES, ids=variant_id)
def test_agents_play_whole_games_under_all_options(game_id, options, name):
    """Illegal actions would raise."""
    game = find(game_id)
    checked = game.parse_options(options)
    players = [make_agent(name if seat == 0 else "random", game, checked) for seat in range(checked.num_players)]
    for played in Match(game, checked, players, seed=3, first=0, number=2, salt=SALT).play():
        assert played.ending
        assert sum(played.decisions) == len(played.actions)


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("names", [("search:8", "heuristic"), ("search:8:net", "search:8:net")])
def test_a_game_does_not_depend_on_the_games_beside_it(game_id, names):
    game = find(game_id)
    options = game.parse_options({})
    players = [make_agent(name, game, options) for name in names]
    together = Match(game, options, players, seed=9, first=4, number=3, salt=SALT).play()
    alone = [
        played for deal in (4, 5, 6) for played in Match(game, options, players, seed=9, first=deal, number=1, salt=SALT).play()
    ]
    assert [played.actions for played in together] == [played.actions for played in alone]
    again = [make_agent(name, game, options) for name in names]
    other_seed = Match(game, options, again, seed=10, first=4, number=3, salt=SALT).play()
    assert [played.actions for played in together] != [played.actions for played in other_seed]


def test_random_agents_choose_every_legal_action_equally_often():
    game = find("muster")
    table = open_table(game, {})
    view, legal = view_of(table, SALT), np.flatnonzero(table.mask)
    many = Views(
        view.game,
        view.options,
        np.repeat(view.observation, 20_000, axis=0),
        np.repeat(view.mask, 20_000, axis=0),
        np.repeat(view.seat, 20_000),
        np.random.default_rng(0).integers(0, 2**64, 20_000, np.uint64),
        view.records,
    )
    counts = np.bincount(make_agent("random", game, table.options).act(many), minlength=game.actions.size)
    assert counts[legal].sum() == 20_000
    assert abs(counts[legal] / 20_000 - 1 / len(legal)).max() < 0.01


def test_a_view_gives_worlds_to_agents_written_in_python():
    game = find("artisans")
    for table in states(game, {"num_players": 3}, 30):
        world = view_of(table, SALT).world(0, seed=8)
        assert world.seat == table.seat
        assert np.array_equal(world.observation, table.observation)
        assert np.array_equal(world.mask, table.mask)
        assert world.record.seed == 8


# ---- Strength, on fixed seeds; the figures of docs/agents.md are measured over a thousand games


def share_won(game, names_by_seat, games, seed=2):
    options = game.parse_options({})
    agents = {name: make_agent(name, game, options) for name in names_by_seat}
    won = 0.0
    for seats in (names_by_seat, names_by_seat[::-1]):
        for played in Match(game, options, [agents[name] for name in seats], seed, 0, games // 2, SALT).play():
            won += (played.returns[seats.index(names_by_seat[0])] + 1) / 2
    return won / games


@pytest.mark.parametrize("game_id", game_ids())
def test_heuristic_beats_random(game_id):
    assert share_won(find(game_id), ["heuristic", "random"], 60) >= 0.95


@pytest.mark.parametrize("game_id", game_ids())
def test_search_beats_heuristic(game_id):
    assert share_won(find(game_id), ["search:100", "heuristic"], 40) >= 0.55


# ---- The roster


def test_the_command_agents_lists_every_agent():
    done = subprocess.run([sys.executable, "-m", "cardtable", "agents"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split()[0].partition(":")[0] for line in lines] == [name for name in names() if name != "first"]
    assert all(len(line.split()) > 3 for line in lines)


def test_importing_the_library_imports_no_agent():
    code = (
        "import sys, cardtable, muster_env.muster_v0; print([m for m in sys.modules if m.split('.')[0] == 'cardtable_agents'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mastermind", "no agent is called 'mastermind'; agents: best, cmd, (first, )?heuristic, ppo, random, sb3, search"),
        ("random:3", "takes nothing after a colon"),
        ("heuristic:0", "integers from 1 to 1000"),
        ("search:0", "integers from 1"),
        ("search:many", "integers from 1"),
        ("search:", "integers from 1"),
        ("search:0ms", "'search:0ms': allowed .* or times from 1ms to 60000ms"),
        ("search:-5ms", "times from 1ms"),
        ("search:99999999ms", "times from 1ms to 60000ms"),
        ("search:net", "after that, for a network that evaluates, :net or :PATH"),
        ("search:10:", "policy .: cannot be read"),
    ],
)
def test_wrong_names_are_refused(name, message):
    game = find("muster")
    with pytest.raises(AgentError, match=message):
        make_agent(name, game, game.parse_options({}))


def test_a_game_without_an_evaluation_says_which_have_one(monkeypatch):

    game = find("muster")
    monkeypatch.setattr(evaluation, "games_with_evaluation", lambda: ["artisans"])
    for name in ("heuristic", "search"):
        with pytest.raises(AgentError, match=f"{name} cannot play muster_v0: .* evaluations only of artisans"):
            make_agent(name, game, game.parse_options({}))


def test_an_illegal_choice_is_named_and_not_repaired():
    class Stubborn(Agent):
        def act(self, views):
            views.mask[:] = 1
            return np.zeros(len(views), int)

    class Silent(Agent):
        def act(self, views):
            return np.zeros(0, int)

    game = find("muster")
    options = game.parse_options({})
    for kind, message in (
        (Stubborn, r"Stubborn \(seed 1, deal \d\): muster_v0: lane \d, .* action 0 .* is not legal"),
        (Silent, "shape"),
    ):
        with pytest.raises(AgentError, match=message):
            Match(game, options, [kind(game, options)] * 2, seed=1, first=0, number=4, salt=SALT).play()


def test_agents_of_a_file_join_the_roster(tmp_path):
    path = tmp_path / "my_bots.py"
    path.write_text(
        "from cardtable import Agent, register\n"
        '@register("first", "the first legal action")\n'
        "class First(Agent):\n"
        "    def act(self, views):\n"
        "        return views.mask.argmax(axis=1)\n"
    )
    load_module(str(path))
    assert "first" in names()
    game = find("muster")
    assert make_agent("first", game, game.parse_options({})).act(view_of(open_table(game, {}), SALT)).shape == (1,)
    for wrong in ("no_such_module_at_all", str(tmp_path / "missing.py")):
        with pytest.raises(AgentError):
            load_module(wrong)
    with pytest.raises(AgentError, match="letters"):
        register("a:b", "a colon means something else")


@pytest.mark.parametrize("game_id", game_ids())
def test_best_is_a_search_for_every_number_of_players(game_id):
    game = find(game_id)
    for players in {game.parse_options(options).num_players for options in game.variants}:
        agent = make_agent("best", game, game.parse_options({"num_players": players}))
        assert (game.id, players) in CHOSEN
        assert agent.repeatable


def test_another_choice_is_another_best_player(monkeypatch):
    """The leaderboard and arenas tell players apart by their fingerprints."""
    game = find("muster_v0")
    before = make_agent("best", game, game.parse_options({})).fingerprint()
    monkeypatch.setitem(CHOSEN, ("muster_v0", 2), "3001:net")
    assert make_agent("best", game, game.parse_options({})).fingerprint() != before
