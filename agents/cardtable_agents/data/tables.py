"""The tables of games, in Parquet: made by a unit of work, and the same whoever does it.

A part holds the games of one line-up on `grain` deals. Games are numbered by deal and seating, in the order of the plan.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cardtable.game.game import ACTION
from cardtable.lanes import Lanes
from cardtable.types import Array
from cardtable_agents.arena.match import Played
from cardtable_agents.arena.plan import Plan, Seating
from cardtable_agents.arena.results import places_of
from cardtable_agents.arena.work import Players, Task

GAMES_A_PART = 256
"""About so many: a part is a row group of the tables, and is held in memory."""

GAMES = pa.schema(
    [
        ("game", pa.int64()),
        ("deal", pa.int64()),
        ("seat", pa.int8()),
        ("agent", pa.string()),
        ("ending", pa.string()),
        ("return", pa.float64()),
        ("score", pa.float64()),
        ("decisions", pa.int32()),
        ("forfeit", pa.string()),
    ]
)
"""A row for each game and seat; `forfeit` is why the seat has given the game up, if it has."""
DECISIONS = pa.schema(
    [
        ("game", pa.int64()),
        ("decision", pa.int32()),
        ("seat", pa.int8()),
        ("agent", pa.string()),
        ("action", pa.from_numpy_dtype(ACTION)),
        ("name", pa.string()),
        ("legal", pa.list_(pa.from_numpy_dtype(ACTION))),
        ("forced", pa.bool_()),
    ]
)
"""A row for each decision; `legal` has the ids of all legal actions, `forced` says that there was one alone."""


class Part(NamedTuple):
    """The tables of one part, as Parquet files."""

    number: int
    """In the order in which parts are put together."""
    games: bytes
    decisions: bytes


class Moments(NamedTuple):
    """Every decision of some games of one seating, in the order of games and decisions. Arrays have a row for each."""

    lane: Array
    decision: Array
    seat: Array
    action: Array
    mask: Array
    observation: Array
    """Without columns if the lanes observe nothing."""


def grain_of(plan: Plan) -> int:
    """Deals in a part."""
    return max(GAMES_A_PART // len(plan.seatings()[0]), 1)


def part_numbers(plan: Plan, deals: range) -> dict[int, Task]:
    """The parts of some deals, which begin at a multiple of the grain: number of the part -> its games."""
    line_ups, grain = plan.seatings(), grain_of(plan)
    return {
        first // grain * len(line_ups) + place: Task(tuple(line_up), first, min(grain, deals.stop - first))
        for first in range(deals.start, deals.stop, grain)
        for place, line_up in enumerate(line_ups)
    }


def decisions_schema(size: int) -> pa.Schema:
    """The schema of decisions with observations of so many numbers; 0 for none."""
    return DECISIONS.append(pa.field("observation", pa.list_(pa.float32(), size))) if size else DECISIONS


def moments(lanes: Lanes, actions: Sequence[Sequence[int]]) -> Moments:
    """Play the actions of games that have just been dealt, and note what stood at every decision."""
    lengths, steps = np.array(list(map(len, actions))), list[Moments]()
    for step in range(int(lengths.max(initial=0)) + 1):  # the last one has no rows: games may have been given up at once
        on = np.flatnonzero(lengths > step)
        chosen = np.array([actions[lane][step] for lane in on.tolist()], ACTION)
        frame = lanes.frame
        at = np.full(len(on), step)
        steps.append(Moments(on, at, frame.seat[on], chosen, frame.action_mask[on], frame.observation[on]))
        lanes.advance(on, chosen)
    together = [np.concatenate(rows) for rows in zip(*steps, strict=True)]
    order = np.lexsort((together[1], together[0]))
    return Moments(*(rows[order] for rows in together))


@dataclass
class DataWork:
    """Plays tasks that begin at multiples of the grain, and makes tables of their parts."""

    players: Players
    observations: bool = False

    @cached_property
    def _places(self) -> dict[Seating, int]:
        return places_of(self.players.plan)

    def play(self, task: Task) -> list[Part]:
        """The parts of a task."""
        plan = self.players.plan
        line_ups, grain = list(map(tuple, plan.seatings())), grain_of(plan)
        place = line_ups.index(task.seatings)
        return [self._part(part.first // grain * len(line_ups) + place, part) for part in task.cut(grain)]

    def close(self) -> None:
        """Let the agents go."""
        self.players.close()

    def _part(self, number: int, part: Task) -> Part:
        games, decisions = [], []
        for seating in part.seatings:
            played = self.players.match(seating, part)
            games.append(pa.Table.from_pylist(list(self._rows(seating, played)), schema=GAMES))
            decisions.append(self._decisions(seating, part, played))
        return Part(number, *(to_parquet(_by_game(pa.concat_tables(tables))) for tables in (games, decisions)))

    def _game_number(self, seating: Seating, deal: int) -> int:
        return deal * len(self._places) + self._places[seating]

    def _rows(self, seating: Seating, games: Sequence[Played]) -> Iterator[dict[str, object]]:
        for played in games:
            for seat, agent in enumerate(seating):
                gave_up = played.forfeit is not None and played.forfeit["seat"] == seat
                yield {
                    "game": self._game_number(seating, played.deal),
                    "deal": played.deal,
                    "seat": seat,
                    "agent": agent,
                    "ending": played.ending,
                    "return": played.returns[seat],
                    "score": played.scores[seat],
                    "decisions": played.decisions[seat],
                    "forfeit": played.forfeit["reason"] if gave_up and played.forfeit else None,
                }

    def _decisions(self, seating: Seating, part: Task, games: Sequence[Played]) -> pa.Table:
        game, options, plan = self.players.game, self.players.options, self.players.plan
        lanes = Lanes(game, options, part.number, plan.seed, first=part.first, observe=self.observations)
        found = moments(lanes, [played.actions for played in games])
        legal_rows, legal = np.nonzero(found.mask)
        counts = np.bincount(legal_rows, minlength=len(found.lane))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
        numbers = np.array([self._game_number(seating, played.deal) for played in games], np.int64)
        columns: list[object] = [
            numbers[found.lane],
            found.decision.astype(np.int32),
            found.seat.astype(np.int8),
            np.array(seating, object)[found.seat],
            found.action,
            np.array(game.actions.names, object)[found.action],
            pa.ListArray.from_arrays(pa.array(offsets), pa.array(legal.astype(ACTION))),
            counts == 1,
        ]
        if not self.observations:
            return pa.table(columns, schema=DECISIONS)
        columns.append(pa.FixedSizeListArray.from_arrays(pa.array(found.observation.reshape(-1)), game.layout.size))
        return pa.table(columns, schema=decisions_schema(game.layout.size))


def _by_game(table: pa.Table) -> pa.Table:
    """The rows in the order of games; those of a game stay in theirs."""
    return table.take(pa.array(np.argsort(table["game"].to_numpy(), kind="stable")))


def to_parquet(table: pa.Table) -> bytes:
    """A table as a file, in one row group."""
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=max(table.num_rows, 1), compression="zstd")
    return sink.getvalue()
