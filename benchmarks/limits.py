"""How much is missing: what a search would win that knew the hidden cards, and what it wins by more simulations.

    python -m benchmarks.limits [--games muster …] [--parts knowledge budgets] [--games-each 200] [--out DIR]

- knowledge: one seat's search knows the others' hands, or all cards (`benchmarks/knowing.py`); the others search fairly.
- budgets: one seat's search has four times the simulations of the others'.

Every deal is played with the stronger search in every seat; intervals are those of deals. An equal player wins an even share.
This takes an hour or two, so it is not a part of `make bench`; what a folder given by --out holds already is not asked again.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from cardtable_agents.arena.contests import shares_of
from cardtable_agents.arena.processes import played_here
from cardtable_agents.arena.standings import interval_of
from cardtable_agents.arena.work import Task
from cardtable_agents.players.search import SearchAgent
from tqdm import tqdm

from benchmarks import charts, report
from benchmarks.knowing import ALL, HANDS, KnowingSearch, OpenMatch
from benchmarks.measure import Row
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.engine.jit import cores
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.players.keys import open_salt
from cardtable.support import files

GAMES = 200
SEED = 77
"""Of deals that no player was chosen or trained on."""
SALT = open_salt("limits")
KNOWLEDGE, BUDGETS = "knowledge", "budgets"
SEARCHES = ("100", "400:net")
"""What follows `search:` where knowledge is measured."""
RUNGS = (50, 200, 800)
"""Simulations of the weaker search where budgets are measured."""
STEP = 4
"""How many times as many the stronger one has."""
GUIDES = ("", ":net")
DEALS_A_TASK = 5
QUICK_GAMES, QUICK_SEARCH = 2, "8"


@dataclass(frozen=True)
class Question:
    """Is one search stronger than another?"""

    game: str
    players: int
    one: str
    """What follows `search:` for the one that may be stronger."""
    others: str
    """The same for all other seats."""
    knows: str | None = None
    """What the first knows that it may not; None: nothing."""

    def __str__(self) -> str:
        knowing = {HANDS: " that knows the hands", ALL: " that knows all cards", None: ""}[self.knows]
        return f"{self.game}, {self.players} players: search:{self.one}{knowing} against search:{self.others}"


@dataclass
class Answer:
    """Plays deals of a question: the first search in every seat, the other one in all others."""

    question: Question
    _made: tuple[Game, list[SearchAgent]] | None = field(default=None, repr=False)

    def play(self, task: Task) -> dict[int, list[float]]:
        """By deal: the first search's share of the win, seat by seat."""
        game, (one, other) = self._agents()
        shares: dict[int, list[float]] = {}
        for seat in range(self.question.players):
            seated = [other] * self.question.players
            seated[seat] = one
            match = OpenMatch(game, one.options, seated, SEED, task.first, task.number, SALT)
            for played in match.play():
                shares.setdefault(played.deal, []).append(shares_of(played.returns)[seat])
        return shares

    def close(self) -> None:
        """Nothing is held."""

    def _agents(self) -> tuple[Game, list[SearchAgent]]:
        if self._made is None:
            asked, game = self.question, find(self.question.game)
            options = game.parse_options(options_of(game, asked.players))
            one = KnowingSearch(game, options, asked.one, asked.knows) if asked.knows else SearchAgent(game, options, asked.one)
            self._made = game, [one, SearchAgent(game, options, asked.others)]
        return self._made


def options_of(game: Game, players: int) -> dict[str, Any]:
    """The options of so many players, all others as they are by default."""
    return {} if game.parse_options({}).num_players == players else {"num_players": players}


def answer(question: Question, games: int, workers: int) -> Row:
    """Play so many games, rounded up to whole deals; the share of wins, with half of the interval as its margin."""
    deals, shares = -(-games // question.players), dict[int, list[float]]()
    Answer(question).play(Task((), 0, 1))  # compiles what is missing, once
    tasks = list(Task((), 0, deals).cut(DEALS_A_TASK))
    with tqdm(total=deals, unit="deal", desc=str(question), file=sys.stderr, disable=None) as bar:
        for found in played_here(Answer(question), tasks, workers):
            shares |= found
            bar.update(len(found))
    rate = sum(map(sum, shares.values())) / (deals * question.players)
    low, high = interval_of(shares.values())
    details = {**asdict(question), "games": deals * question.players, "interval": [low, high]}
    return Row(str(question), question.game, unit="win rate", rounds=[rate], margin=(high - low) / 2, details=details)


def answered(folder: Path | None) -> dict[tuple[str, int], Row]:
    """By question and games: the answers that a folder holds."""
    path = folder / "limits.json" if folder else None
    if path is None or not path.exists():
        return {}
    rows = json.loads(files.read_text(path, report.LARGEST_FILE))["rows"]
    names = [*(each.name for each in fields(Question)), "games", "interval"]
    return {
        (row["what"], row["games"]): Row(
            row["what"],
            row["group"],
            unit=row["unit"],
            rounds=row["rounds"],
            margin=row["noise"],
            details={name: row[name] for name in names},
        )
        for row in rows
    }


# ---- What is asked


def player_counts(game: Game) -> list[int]:
    """The numbers of players from two on."""
    return sorted({players for variant in game.variants if (players := game.parse_options(variant).num_players) > 1})


def questions(game: Game, parts: Sequence[str]) -> Iterator[Question]:
    """All questions about a game."""
    for players in player_counts(game):
        if KNOWLEDGE in parts:
            for search in SEARCHES:
                yield Question(game.id, players, search, search, HANDS)
            yield Question(game.id, players, SEARCHES[0], SEARCHES[0], ALL)
        if BUDGETS in parts:
            for guide in GUIDES:
                for rung in RUNGS:
                    yield Question(game.id, players, f"{STEP * rung}{guide}", f"{rung}{guide}")


# ---- Report


def table(rows: Sequence[Row]) -> str:
    """What was found, a line for each question."""
    lines = [["game", "players", "search", "that", "against", "games", "wins", "95 % interval", "even"]]
    return report.markdown(lines + [_cells(row) for row in rows])


def _cells(row: Row) -> list[str]:
    asked = row.details
    low, high = asked["interval"]
    knows = {HANDS: "knows the hands", ALL: "knows all cards", None: "searches longer"}[asked["knows"]]
    return [
        asked["game"],
        str(asked["players"]),
        f"search:{asked['one']}",
        knows,
        f"search:{asked['others']}",
        f"{asked['games']:,}",
        f"{row.value:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{1 / asked['players']:.1%}",
    ]


def draw(rows: Sequence[Row], path: Path) -> None:
    """A picture: every share of wins with its interval, beside what is even."""
    spans = [
        charts.Span(row.what, row.details["players"], row.value, *row.details["interval"], even=1 / row.details["players"])
        for row in rows
    ]
    charts.draw_spans(spans, "wins of a search that knows or has more", path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and report."""
    parser = report.new_parser("limits", __doc__ or "")
    parts = (KNOWLEDGE, BUDGETS)
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts), help="what to ask (default: both)")
    parser.add_argument("--players", nargs="+", type=positive_integer, help="numbers of players (default: all from 2 on)")
    parser.add_argument(
        "--games-each", type=positive_integer, default=GAMES, metavar="N", help="games of each question (default %(default)s)"
    )
    parser.add_argument("--workers", type=positive_integer, default=cores(), help="processes (default: all cores)")
    wanted = report.parse(parser, arguments)
    ran_on, rows, known = report.machine(), list[Row](), answered(wanted.out)
    asked = chosen(wanted)
    if not asked:
        parser.error(f"--players {' '.join(map(str, wanted.players))}: no game of {' '.join(wanted.games)} has so many")
    for question in asked:
        games = -(-wanted.games_each // question.players) * question.players
        rows.append(known.get((str(question), games)) or answer(question, games, wanted.workers))
        if wanted.out:  # what is found is kept, whatever happens to the rest
            report.save(report.result("limits", rows, ran_on, wanted), lambda path: draw(rows, path), wanted.out)
    report.finish(report.result("limits", rows, ran_on, wanted), table(rows), lambda path: draw(rows, path), wanted)


def chosen(wanted: argparse.Namespace) -> list[Question]:
    """What is to be asked; a quick run asks one question of each part."""
    found = [
        question
        for game in map(find, wanted.games)
        for question in questions(game, wanted.parts)
        if wanted.players is None or question.players in wanted.players
    ]
    if wanted.quick:
        wanted.games_each, wanted.workers = QUICK_GAMES, 1
        found = [replace(found[0], one=QUICK_SEARCH, others=QUICK_SEARCH), replace(found[-1], one=QUICK_SEARCH, others="2")]
    return found


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.limits", main))
