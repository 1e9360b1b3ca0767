"""`python -m tools.publish_policies RUN [RUN …]`: choose the best of several runs, measure it, write its file and its card.

    python -m tools.publish_policies runs/muster-1 runs/muster-2 --against ppo:muster_v0.safetensors

The runs have one game, one number of players and the same options, and have ended. Interrupted, the same command continues:
the games are kept in `--work`.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from cardtable_agents.players import policy
from cardtable_agents.training import curves

from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.engine.jit import cores
from cardtable.errors import AgentError
from cardtable.players.roster import make_agent
from cardtable.support import files
from tools.publish_policies.card import Candidate, Card, make_card, read_facts, write_facts
from tools.publish_policies.measure import CHOOSING, REPORTING, Measurement, Measurer, mean_of
from tools.publish_policies.pages import index, page
from tools.publish_policies.runs import FinishedRun, read_runs

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = Path("runs") / "publish"
YARDSTICK = "heuristic"
"""The agent that runs are compared by."""
QUICK_AGENTS = ("random", YARDSTICK)
SLOW_AGENT = "search:100"


@dataclass(frozen=True)
class Shelf:
    """Where policies and their cards are put."""

    policies: Path = policy.POLICIES
    cards: Path = ROOT / "docs" / "policies"

    def policy(self, name: str) -> Path:
        """The file of a policy."""
        return self.policies / f"{name}{policy.SUFFIX}"

    def card(self, name: str, suffix: str) -> Path:
        """A file of its card: facts (`.json`), page (`.md`), picture (`.png`)."""
        return self.cards / f"{name}{suffix}"

    @property
    def index(self) -> Path:
        """The page that lists all policies."""
        return self.cards / "README.md"

    def all_cards(self) -> list[Card]:
        """Every card, by the names of the policies."""
        return [read_facts(path) for path in sorted(self.cards.glob("*.json"))]


def publish(runs: Sequence[FinishedRun], args: argparse.Namespace, shelf: Shelf) -> Card:
    """Choose, measure and write."""
    game, options = runs[0].game, runs[0].options
    measurer = Measurer(game, options, args.work, args.workers or cores())
    halves = [halved(run, args.work) for run in runs]
    candidates = [candidate(run, half, measurer, args.choosing_games) for run, half in zip(runs, halves, strict=True)]
    chosen = max(range(len(runs)), key=lambda place: strength(candidates[place], alone=measurer.alone))
    figures = [
        measurer.measure(halves[chosen], agent, args.search_games if is_slow(agent) else args.games, REPORTING, against)
        for agent, against in opponents(halves, chosen, args.against)
    ]
    card = make_card(runs[chosen], halves[chosen], candidates, figures)
    write(card, halves[chosen], runs[chosen], shelf)
    return card


def halved(run: FinishedRun, folder: Path) -> Path:
    """A run's policy as it would come with the package: in half precision, with all that its file says of itself."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run.game.id}-{run.policy.fingerprint()}{policy.SUFFIX}"
    policy.save(path, run.game, run.policy, run.about, np.float16)
    return path


def candidate(run: FinishedRun, half: Path, measurer: Measurer, games: int) -> Candidate:
    """A run, and how its policy does on the choosing deals."""
    return Candidate(
        seed=int(run.about["seed"]),
        command=str(run.about["command"]),
        fingerprint=policy.load(half, run.game).fingerprint(),
        steps=int(run.about["steps"]),
        seconds=int(run.about["seconds"]),
        measured=measurer.measure(half, YARDSTICK, games, CHOOSING),
    )


def strength(each: Candidate, *, alone: bool) -> float:
    """What a run is chosen by: its share of wins; alone, its mean return."""
    return mean_of(each.measured.returns)[0] if alone else each.measured.rate


def opponents(halves: Sequence[Path], chosen: int, against: Sequence[str]) -> list[tuple[str, str]]:
    """Whom the chosen policy is measured against: (agent, what a reader knows it by)."""
    others = [(f"ppo:{half}", f"run {place + 1}") for place, half in enumerate(halves) if place != chosen]
    return [*((name, name) for name in (*QUICK_AGENTS, SLOW_AGENT)), *others, *((name, readable(name)) for name in against)]


def is_slow(agent: str) -> bool:
    """Whether an agent thinks so long that it plays fewer games."""
    return agent.partition(":")[0] == SLOW_AGENT.partition(":")[0]


def readable(agent: str) -> str:
    """An agent's name, of a file only its own name: where it lay means nothing to a reader."""
    base, colon, argument = agent.partition(":")
    return f"{base}:{Path(argument).name}" if colon and argument.endswith(policy.SUFFIX) else agent


def write(card: Card, file: Path, run: FinishedRun, shelf: Shelf) -> None:
    """Put the policy, its facts, picture and page, and the new index in place."""
    shelf.cards.mkdir(parents=True, exist_ok=True)
    files.write_whole(shelf.policy(card.name), file.read_bytes())
    title, even = f"{run.game.title}: {card.name}, seed {card.origin.seed}", 1 / run.options.num_players
    curves.draw(run.lines, title, shelf.card(card.name, ".png"), even)
    write_facts(card, shelf.card(card.name, ".json"))
    print_pages(shelf)


def print_pages(shelf: Shelf) -> None:
    """Print every card and the index from the facts that are kept beside them."""
    cards = shelf.all_cards()
    for card in cards:
        files.write_whole(shelf.card(card.name, ".md"), page(card))
    files.write_whole(shelf.index, index(cards))


# ---- The command


def require_possible(runs: Sequence[FinishedRun], args: argparse.Namespace, shelf: Shelf) -> None:
    """Learn before anything is played whether all agents can play, and whether the result can be written."""
    game, options = runs[0].game, runs[0].options
    for name in (*QUICK_AGENTS, SLOW_AGENT, *args.against):
        make_agent(name, game, options)
    file = shelf.policy(policy.shipped_name(game, options.num_players))
    if file.exists() and not args.replace:
        raise AgentError(f"{file} exists: --replace puts a new policy in its place; --against ppo:{file} compares it with that")
    files.require_writable(file)


def summary(card: Card) -> str:
    """What was published, in a few lines."""
    return "\n".join(
        [
            f"{card.name}: run {card.chosen + 1} of {len(card.candidates)} (seed {card.origin.seed}), {card.fingerprint}",
            *(_line(each) for each in card.figures),
        ]
    )


def _line(measured: Measurement) -> str:
    low, high = measured.interval
    return f"  against {measured.against}: {measured.rate:.1%} [{low:.1%}, {high:.1%}] of {measured.games:,} games"


def new_parser() -> argparse.ArgumentParser:
    """What the command understands."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m tools.publish_policies", description=__doc__, formatter_class=layout)
    add = parser.add_argument
    add("runs", nargs="*", type=Path, metavar="RUN", help="folders of finished runs, several seeds of the same")
    add("--against", nargs="+", default=[], metavar="AGENT", help="more agents to measure against, such as ppo:PATH")
    add("--games", type=positive_integer, default=2000, help="reported games against each agent (default 2000)")
    add("--search-games", type=positive_integer, default=400, help=f"reported games against {SLOW_AGENT} (default 400)")
    add("--choosing-games", type=positive_integer, default=1000, help="games of each run that one is chosen by (default 1000)")
    add("--workers", type=positive_integer, help="number of processes (default: one per core)")
    add("--work", type=Path, default=WORK, metavar="DIR", help=f"where games are kept (default {WORK})")
    add("--replace", action="store_true", help="put the new policy in the place of one that is there")
    add("--index", action="store_true", help="measure nothing: print all cards and the index anew from their facts")
    return parser


def main(arguments: Sequence[str] | None = None, shelf: Shelf | None = None) -> None:
    """Publish the best of some runs, or print all cards anew."""
    parser, shelf = new_parser(), shelf or Shelf()
    args = parser.parse_args(arguments)
    if bool(args.runs) == args.index:
        parser.error("expected folders of runs, or --index alone")
    if args.index:
        print_pages(shelf)
        return
    runs = read_runs(args.runs)
    require_possible(runs, args, shelf)
    print(summary(publish(runs, args, shelf)))


if __name__ == "__main__":
    sys.exit(console.run("python -m tools.publish_policies", main))
