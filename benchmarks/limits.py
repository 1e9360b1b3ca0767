"""How much is missing: what a search would win that knew the hidden cards, and what it wins by more simulations.

    python -m benchmarks.limits [--games muster …] [--parts knowledge weights trees budgets] [--games-each 200] [--out DIR]

- knowledge: one seat's search knows the others' hands, or all cards (`benchmarks/knowing.py`); the others search fairly.
- weights: one seat's search weighs its worlds by how the others have played (`benchmarks/belief.py`).
- trees: one seat's search by the clock keeps its trees from one move to the next; the others are made to grow new ones.
- budgets: one seat's search has four times the simulations of the others'.

Every deal is played with the stronger search in every seat; intervals are those of deals. An equal player wins an even share.
This takes hours, so it is not a part of `make bench`. It can be asked in parts: what a folder given by --out holds already, by
as many games or more, is not asked again, and stays in the table.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from cardtable_agents.arena.contests import shares_of
from cardtable_agents.arena.processes import played_here
from cardtable_agents.arena.standings import interval_of
from cardtable_agents.arena.work import Task
from cardtable_agents.players.search import SearchAgent
from tqdm import tqdm

from benchmarks import charts, report
from benchmarks.belief import Judge, WeighingSearch, learn, pairs
from benchmarks.knowing import ALL, HANDS, KnowingSearch, OpenMatch
from benchmarks.measure import Row
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.engine.jit import cores
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.registry import find
from cardtable.players.keys import open_salt
from cardtable.support import files

GAMES = 200
SEED = 77
"""Of deals that no player was chosen or trained on."""
SALT = open_salt("limits")
KNOWLEDGE, WEIGHTS, TREES, BUDGETS = "knowledge", "weights", "trees", "budgets"
LIKELY = "likely"
"""What a search knows that weighs its worlds: which of them are likely."""
KEPT = "kept"
"""What a search knows that keeps its trees: what it found before."""
PAIRS, QUICK_PAIRS = 100_000, 600
"""Decisions that it learns this from."""
LEARNING_SEED = 5
SEARCHES = ("100", "400:net")
"""What follows `search:` where knowledge is measured."""
RUNGS = (50, 200, 800)
"""Simulations of the weaker search where budgets are measured."""
STEP = 4
"""How many times as many the stronger one has."""
GUIDES = ("", ":net")
TIME = "10ms"
"""For each move, where trees are kept."""
DEALS_A_TASK = 5
QUICK_GAMES, QUICK_SEARCH, QUICK_TIME = 2, "8", "1ms"


THAT = {
    HANDS: "knows the hands",
    ALL: "knows all cards",
    LIKELY: "weighs its worlds",
    KEPT: "keeps its trees",
    None: "searches longer",
}
"""What the search that may be stronger does."""


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
    """What the first knows besides; None: nothing."""

    def __str__(self) -> str:
        known = f" that {THAT[self.knows]}" if self.knows else ""
        return f"{self.game}, {self.players} players: search:{self.one}{known} against search:{self.others}"


@dataclass
class Answer:
    """Plays deals of a question: the first search in every seat, the other one in all others."""

    question: Question
    judge: Judge | None = None
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
            self._made = game, [self._first(game, options), self._other(game, options)]
        return self._made

    def _other(self, game: Game, options: Options) -> SearchAgent:
        found = SearchAgent(game, options, self.question.others)
        if self.question.knows == KEPT:
            found.kept = None
        return found

    def _first(self, game: Game, options: Options) -> SearchAgent:
        asked = self.question
        if self.judge:
            return WeighingSearch(game, options, asked.one, self.judge)
        if asked.knows in (HANDS, ALL):
            return KnowingSearch(game, options, asked.one, asked.knows)
        return SearchAgent(game, options, asked.one)


def options_of(game: Game, players: int) -> dict[str, Any]:
    """The options of so many players, all others as they are by default."""
    return {} if game.parse_options({}).num_players == players else {"num_players": players}


def judge_of(question: Question, number: int) -> tuple[Judge, float]:
    """A judge of the worlds of a search, which has learned from games of that search, and how often it is right."""
    game = find(question.game)
    options = game.parse_options(options_of(game, question.players))
    return learn(*pairs(game, options, SearchAgent(game, options, question.others), number, LEARNING_SEED))


def answer(question: Question, games: int, workers: int, learned: int = PAIRS) -> Row:
    """Play so many games, rounded up to whole deals; the share of wins, with half of the interval as its margin."""
    deals, shares = -(-games // question.players), dict[int, list[float]]()
    judge, right = judge_of(question, learned) if question.knows == LIKELY else (None, None)
    work = Answer(question, judge)
    work.play(Task((), 0, 1))  # compiles what is missing, once
    tasks = list(Task((), 0, deals).cut(DEALS_A_TASK))
    with tqdm(total=deals, unit="deal", desc=str(question), file=sys.stderr, disable=None) as bar:
        for found in played_here(Answer(question, judge), tasks, workers):
            shares |= found
            bar.update(len(found))
    rate = sum(map(sum, shares.values())) / (deals * question.players)
    low, high = interval_of(shares.values())
    details = {**asdict(question), "games": deals * question.players, "interval": [low, high], "right": right}
    return Row(str(question), question.game, unit="win rate", rounds=[rate], margin=(high - low) / 2, details=details)


def answered(folder: Path | None) -> dict[str, Row]:
    """By question: the answers that a folder holds."""
    path = folder / "limits.json" if folder else None
    if path is None or not path.exists():
        return {}
    rows = json.loads(files.read_text(path, report.LARGEST_FILE))["rows"]
    names = [*(each.name for each in fields(Question)), "games", "interval", "right"]
    return {
        row["what"]: Row(
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


def questions(game: Game, parts: Sequence[str]) -> Iterator[Question]:
    """All questions about a game."""
    for players in (number for number in game.player_counts if number > 1):
        if KNOWLEDGE in parts:
            for search in SEARCHES:
                yield Question(game.id, players, search, search, HANDS)
            yield Question(game.id, players, SEARCHES[0], SEARCHES[0], ALL)
        if WEIGHTS in parts:
            yield Question(game.id, players, SEARCHES[0], SEARCHES[0], LIKELY)
        if TREES in parts:
            for guide in GUIDES:
                yield Question(game.id, players, f"{TIME}{guide}", f"{TIME}{guide}", KEPT)
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
    return [
        asked["game"],
        str(asked["players"]),
        f"search:{asked['one']}",
        THAT[asked["knows"]],
        f"search:{asked['others']}",
        f"{asked['games']:,}",
        f"{row.value:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{1 / asked['players']:.1%}",
    ]


def draw(rows: Sequence[Row], path: Path) -> None:
    """A picture: every share of wins with its interval, beside what is even."""
    spans = []
    for row in rows:
        low, high = row.details["interval"]
        players = row.details["players"]
        spans.append(charts.Span(row.what, players, row.value, low, high, even=1 / players))
    charts.draw_spans(spans, "wins of a search that knows or has more", path)


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and report."""
    parser = report.new_parser("limits", __doc__ or "")
    parts = (KNOWLEDGE, WEIGHTS, TREES, BUDGETS)
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts), help="what to ask (default: all)")
    parser.add_argument("--players", nargs="+", type=positive_integer, help="numbers of players (default: all from 2 on)")
    parser.add_argument(
        "--games-each", type=positive_integer, default=GAMES, metavar="N", help="games of each question (default %(default)s)"
    )
    parser.add_argument("--workers", type=positive_integer, default=cores(), help="processes (default: all cores)")
    wanted = report.parse(parser, arguments)
    ran_on, rows = report.machine(), answered(wanted.out)
    asked = chosen(wanted)
    if not asked:
        parser.error(f"--players {' '.join(map(str, wanted.players))}: no game of {' '.join(wanted.games)} has so many")
    for question in asked:
        games = -(-wanted.games_each // question.players) * question.players
        learned = QUICK_PAIRS if wanted.quick else PAIRS
        if str(question) in rows and rows[str(question)].details["games"] >= games:
            continue
        rows[str(question)] = answer(question, games, wanted.workers, learned)
        if wanted.out:  # what is found is kept, whatever happens to the rest
            held = in_order(rows.values())
            report.save(report.result("limits", held, ran_on, wanted), partial(draw, held), wanted.out)
    found = in_order(rows.values())
    report.finish(report.result("limits", found, ran_on, wanted), table(found), lambda path: draw(found, path), wanted)


def in_order(rows: Iterable[Row]) -> list[Row]:
    """By game, by what the stronger search has, by players and simulations."""
    kinds = list(THAT)
    return sorted(rows, key=lambda row: (row.group, kinds.index(row.details["knows"]), row.details["players"]))


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
        found = list({each.knows: quick(each) for each in found}.values())
    return found


def quick(question: Question) -> Question:
    """The same question about a search that takes no time."""
    search = QUICK_TIME if question.knows == KEPT else QUICK_SEARCH
    return replace(question, one=search, others=search)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.limits", main))
