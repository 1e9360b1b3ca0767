"""From finished runs to a policy that comes with the package and its card; and that the cards in docs/policies are true."""

import json

import numpy as np
import pytest
from cardtable_agents.arena import tournament
from cardtable_agents.arena.match import Match
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy
from cardtable_agents.training import log
from cardtable_agents.training.folder import RunFolder

from cardtable.errors import AgentError, CardtableError
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent
from tools.publish_policies.__main__ import CHOOSING, REPORTING, Shelf, main
from tools.publish_policies.card import number_of_parameters, read_facts
from tools.publish_policies.measure import Measurer, mean_of
from tools.publish_policies.pages import index, page
from tools.publish_policies.runs import read_runs

SHIPPED = Shelf()
CARDS = SHIPPED.all_cards()
QUICKLY = ["--games", "4", "--search-games", "2", "--choosing-games", "4", "--workers", "1"]


def network(game, seed, scale=0.1):
    """A network with a value head that has learned nothing."""
    draw, width = np.random.default_rng(seed).normal, 8
    sizes = [(width, game.layout.size), (game.actions.size, width), (2, width)]
    first, last, value = [(scale * draw(size=size), scale * draw(size=size[0])) for size in sizes]
    return Policy([first, last], None, value)


def fake_run(folder, game_id="muster", seed=1, options=None, done=True, machine=True):
    """The folder of a run that has learned nothing."""
    game, run = find(game_id), RunFolder(folder)
    folder.mkdir(parents=True)
    about = {"options": options or {}, "seed": seed, "command": f"cardtable train {game_id} --seed {seed}"}
    about |= {"learner": "cardtable", "imitated": ["heuristic", 1000], "steps": 2000 + seed, "seconds": 75}
    policy.save(run.policy, game, network(game, seed), about)
    written = log.Log(run.log)
    where = {"machine": {"processor": "Abacus", "cores": 3}, "versions": {"python": "3.11"}} if machine else {}
    written.begin({"settings": {"threads": None}, **policy.fits(game), **where})
    for seconds in (10, 60):
        written.add({"phase": "ppo", "steps": 1000, "seconds": seconds, "evaluation": {"random": seconds / 100}})
    written.add({"phase": "ppo", "steps": 2000, "seconds": 75.0, **({"done": True} if done else {})})
    return folder


def shelf_in(folder):
    shelf = Shelf(folder / "policies", folder / "cards")
    shelf.policies.mkdir()
    return shelf


# ---- Publishing


def test_the_best_run_is_chosen_measured_and_written_with_a_card(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shelf, runs = shelf_in(tmp_path), [str(fake_run(tmp_path / f"run{seed}", seed=seed)) for seed in (1, 2, 3)]
    main([*runs, *QUICKLY, "--against", f"ppo:{runs[0]}/policy.safetensors"], shelf)
    card, game = read_facts(shelf.card("muster_v0-2", ".json")), find("muster")
    loaded = policy.load(shelf.policy("muster_v0-2"), game)
    made = policy.about(shelf.policy("muster_v0-2"))
    best = max(each.measured.won for each in card.candidates)

    assert card.origin.measured.won == best
    assert (made["seed"], made["command"]) == (card.origin.seed, card.origin.command)
    assert card.fingerprint == card.origin.fingerprint == loaded.fingerprint()
    assert card.bytes == shelf.policy("muster_v0-2").stat().st_size
    assert card.parameters == number_of_parameters(network(game, 1))
    others = [f"run {place + 1}" for place in range(3) if place != card.chosen]
    assert [each.against for each in card.figures] == ["random", "heuristic", "search:100", *others, "ppo:policy.safetensors"]
    assert [each.games for each in card.figures] == [4, 4, 2, 4, 4, 4]
    assert (card.machine["processor"], card.threads, card.values) == ("Abacus", 3, 2)

    text = shelf.card("muster_v0-2", ".md").read_text()
    assert text == page(card)
    for expected in (
        card.fingerprint,
        "Abacus, 3 cores",
        "3 threads",
        "the best of 3 runs",
        card.origin.command,
        "362 – 8 – 546",
    ):
        assert expected in text
    assert str(tmp_path) not in text
    assert shelf.card("muster_v0-2", ".png").read_bytes().startswith(b"\x89PNG")
    assert shelf.index.read_text() == index([card])
    assert card.fingerprint in capsys.readouterr().out


def test_weights_are_halved_before_anything_is_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shelf, run = shelf_in(tmp_path), fake_run(tmp_path / "run")
    main([str(run), *QUICKLY], shelf)
    game = find("muster")
    trained, shipped = policy.load(run / "policy.safetensors", game), policy.load(shelf.policy("muster_v0-2"), game)
    assert trained.cast(np.float16).cast(np.float64).fingerprint() == shipped.fingerprint() != trained.fingerprint()
    [card] = shelf.all_cards()
    assert card.candidates[0].fingerprint == shipped.fingerprint()


def test_a_policy_that_is_there_is_only_replaced_on_demand(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shelf, runs = shelf_in(tmp_path), [str(fake_run(tmp_path / f"run{seed}", seed=seed)) for seed in (1, 2)]
    main([runs[0], *QUICKLY], shelf)
    before = shelf.policy("muster_v0-2").read_bytes()
    with pytest.raises(AgentError, match=r"muster_v0-2\.safetensors exists: --replace"):
        main([runs[1], *QUICKLY], shelf)
    assert shelf.policy("muster_v0-2").read_bytes() == before
    main([runs[1], *QUICKLY, "--replace"], shelf)
    assert read_facts(shelf.card("muster_v0-2", ".json")).origin.seed == 2


def test_pages_are_printed_anew_from_their_facts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shelf = shelf_in(tmp_path)
    main([str(fake_run(tmp_path / "run")), *QUICKLY], shelf)
    pages = [shelf.card("muster_v0-2", ".md"), shelf.index]
    before = [path.read_text() for path in pages]
    for path in pages:
        path.write_text("something else")
    main(["--index"], shelf)
    assert [path.read_text() for path in pages] == before


def test_choosing_and_reporting_use_different_deals():
    assert CHOOSING.seed != REPORTING.seed
    assert CHOOSING.salt != REPORTING.salt


# ---- Measuring


def saved(folder, game_id, seed=1):
    path = folder / f"{game_id}-{seed}.safetensors"
    policy.save(path, find(game_id), network(find(game_id), seed), {}, np.float16)
    return path


def measurer(folder, game_id, **options):
    game = find(game_id)
    return Measurer(game, game.parse_options(options), folder / "work", workers=1)


def test_one_policy_sits_at_each_seat_in_turn_and_the_agent_at_all_others(tmp_path):
    file, table = saved(tmp_path, "artisans"), measurer(tmp_path, "artisans", num_players=3)
    found = table.measure(file, "random", 6, REPORTING)
    own, other = (make_agent(name, table.game, table.options) for name in (f"ppo:{file}", "random"))
    returns = []
    for seat in range(3):
        players = [own if each == seat else other for each in range(3)]
        match = Match(table.game, table.options, players, REPORTING.seed, 0, 2, REPORTING.salt)
        returns += [played.returns[seat] for played in match.play()]
    assert (found.games, found.asked) == (6, 6)
    assert found.won == pytest.approx(sum((value * 2 + 1) / 3 for value in returns))
    assert sum(float(value) * times for value, times in found.returns.items()) == pytest.approx(sum(returns))


def test_the_command_of_a_card_plays_the_same_games_as_its_figures(tmp_path, monkeypatch):
    """`ppo` and `ppo:PATH` of the same policy are the same player, game by game."""
    file = saved(tmp_path, "muster")
    found = measurer(tmp_path, "muster").measure(file, "random", 6, REPORTING)
    monkeypatch.setattr(policy, "POLICIES", tmp_path)
    file.rename(tmp_path / "muster_v0-2.safetensors")
    plan = make_plan("muster", {}, ["ppo", "random"], REPORTING.seed)
    lines = tournament.run(plan, 6, tmp_path / "again", salt=REPORTING.salt)
    returns = [line["returns"][line["agents"].index("ppo")] for line in lines]
    assert sum((value + 1) / 2 for value in returns) == found.won


def test_games_that_were_played_are_not_played_again_and_surplus_ones_do_not_count(tmp_path, monkeypatch):
    file, table = saved(tmp_path, "muster"), measurer(tmp_path, "muster")
    first = table.measure(file, "random", 4, REPORTING)
    table.measure(file, "random", 8, REPORTING)

    def played(task):
        raise AssertionError(f"{task} was played again")

    monkeypatch.setattr(tournament.ArenaWork, "play", lambda self, task: played(task))
    assert table.measure(file, "random", 4, REPORTING) == first


def test_alone_a_policy_is_measured_by_its_returns_on_the_deals_of_the_other_agent(tmp_path):
    file, table = saved(tmp_path, "murano"), measurer(tmp_path, "murano", num_players=1)
    found = table.measure(file, "random", 5, REPORTING)
    assert found.games == sum(found.returns.values()) == sum(found.other_returns.values()) == 5
    assert set(found.returns) <= {"-1.0", "0.25", "0.5", "0.75", "1.0"}
    assert 0 <= found.won <= 5


def test_the_mean_of_returns_has_an_interval():
    mean, half = mean_of({"-1.0": 50, "1.0": 50})
    assert mean == 0
    assert half == pytest.approx(0.196, abs=1e-3)


# ---- The card of other numbers of players


def test_the_card_of_a_solo_game_shows_how_its_deals_ended(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tools.publish_policies.__main__.YARDSTICK", "random")
    monkeypatch.setattr("tools.publish_policies.__main__.QUICK_AGENTS", ("random",))
    monkeypatch.setattr("tools.publish_policies.__main__.SLOW_AGENT", "random")
    shelf, run = shelf_in(tmp_path), fake_run(tmp_path / "run", "murano", options={"num_players": 1, "ring": "B"})
    main([str(run), *QUICKLY], shelf)
    text = shelf.card("murano_v0-1", ".md").read_text()
    assert "| lost | Apprentice | Artisan | Master | Grandmaster |" in text
    assert "with one player: a network alone" in text
    assert "-o num_players=1 -o 'ring=\"B\"' --games" in text


# ---- Runs that are refused


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ({"game_id": "artisans", "seed": 2}, r"two is a run of artisans_v0, .*one of muster_v0"),
        ({"options": {"max_turns": 50}, "seed": 2}, r"two was trained with max_turns=50, unlike .*one"),
        ({"seed": 1}, r"two and .*one hold the same policy"),
        ({"seed": 2, "done": False}, r"two: the run has not ended"),
    ],
)
def test_runs_that_do_not_belong_together_are_refused(tmp_path, second, message):
    fake_run(tmp_path / "one")
    fake_run(tmp_path / "two", **second)
    with pytest.raises(AgentError, match=message):
        read_runs([tmp_path / "one", tmp_path / "two"])


def test_folders_without_a_run_are_refused(tmp_path):
    with pytest.raises(AgentError, match=r"nowhere: no training run: expected a log of one, log\.jsonl"):
        read_runs([tmp_path / "nowhere"])
    fake_run(tmp_path / "run")
    (tmp_path / "run" / "policy.safetensors").unlink()
    with pytest.raises(AgentError, match=r"policy\.safetensors: cannot be read"):
        read_runs([tmp_path / "run"])


def test_the_log_and_the_policy_must_be_of_one_game(tmp_path):
    run, other = fake_run(tmp_path / "run"), fake_run(tmp_path / "other", "artisans")
    (run / "policy.safetensors").write_bytes((other / "policy.safetensors").read_bytes())
    with pytest.raises(AgentError, match="its log is of 'muster_v0', its policy of 'artisans_v0'"):
        read_runs([run])


def test_an_agent_that_does_not_exist_is_refused_before_anything_is_played(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentError, match="no agent is called 'nobody'"):
        main([str(fake_run(tmp_path / "run")), "--against", "nobody"], shelf_in(tmp_path))
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("arguments", [[], ["run", "--index"]])
def test_the_command_asks_for_runs_or_for_the_index(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    assert "expected folders of runs, or --index alone" in capsys.readouterr().err


@pytest.mark.parametrize("change", [{"format": "another"}, {"more": 1}, {"figures": [{}]}, {"choosing": None}])
def test_facts_that_are_none_are_refused(tmp_path, monkeypatch, change):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "card.json"
    path.write_text(json.dumps({"format": "cardtable policy card 1", **change}))
    with pytest.raises(CardtableError, match=r"card\.json: not the facts of a policy's card"):
        read_facts(path)


# ---- The cards of the policies that come with the package


def test_every_shipped_policy_for_a_number_of_players_has_a_card():
    """One for any number, which the first versions had, has none."""
    shipped = [path.stem for path in sorted(policy.POLICIES.glob(f"*{policy.SUFFIX}"))]
    assert [name for name in shipped if name not in game_ids()] == [card.name for card in CARDS]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_a_card_belongs_to_its_file(card):
    path = SHIPPED.policy(card.name)
    loaded, made = policy.load(path, find(card.game)), policy.about(path)
    assert (card.fingerprint, card.bytes) == (loaded.fingerprint(), path.stat().st_size)
    assert (card.origin.seed, card.origin.command, card.origin.steps) == (made["seed"], made["command"], made["steps"])
    assert make_agent("ppo", card.game, {"num_players": card.num_players}).policy.fingerprint() == card.fingerprint
    assert SHIPPED.card(card.name, ".png").is_file()


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_the_page_of_a_card_is_printed_from_its_facts(card):
    assert SHIPPED.card(card.name, ".md").read_text() == page(card), "run: python -m tools.publish_policies --index"


@pytest.mark.skipif(not CARDS, reason="no policy has a card")
def test_the_index_lists_all_cards():
    assert SHIPPED.index.read_text() == index(CARDS), "run: python -m tools.publish_policies --index"
