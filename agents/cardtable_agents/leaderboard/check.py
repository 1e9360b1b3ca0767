"""Whether a board still holds: a sample of its games is played again, with the same deals and the same random bits.

Agents that have not changed play the same games, action for action, so every result must be the same. Where results differ, an
agent has changed, or the machine computes otherwise; the board then holds as long as the sample is what it lets one expect.
"""

from collections.abc import Callable, Collection
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from cardtable_agents.arena.contests import shares_of
from cardtable_agents.arena.intervals import student_95
from cardtable_agents.arena.plan import Seating
from cardtable_agents.arena.work import Players, Task
from cardtable_agents.leaderboard.board import Board, sample

STRICTNESS = 2.0
"""How many 95 % half-widths a mean difference may have: chance exceeds it once in about 10,000 comparisons."""


@dataclass(frozen=True)
class Checked:
    """What playing a sample of a board again has shown."""

    games: int
    same: int
    """Games that ended as the board says."""
    faults: tuple[str, ...]
    """Agents whose share of wins is no longer what the board says."""
    changed: tuple[str, ...]
    """Agents whose fingerprint is another one."""

    @property
    def holds(self) -> bool:
        """Whether the board is still true."""
        return not self.faults and not self.changed

    def __str__(self) -> str:
        told = [f"{self.same:,} of {self.games:,} games ended as published"] if self.games else ["no game was played again"]
        told += [f"{agent} is no longer the player of the table: its content has changed" for agent in self.changed]
        told += list(self.faults)
        verdict = "THE TABLE DOES NOT HOLD" if not self.holds else "the table holds" if self.games else "not checked"
        return f"{verdict}: {'; '.join(told)}"


def check(
    board: Board,
    deals: int,
    among: Collection[str] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Checked:
    """Play so many deals of every seating again; `among` leaves only seatings of these agents."""
    plan = board.plan()
    chosen = [(seating, deal) for seating, deal in sample(board, deals) if among is None or set(seating) <= set(among)]
    differences: dict[str, list[float]] = {agent: [] for agent in board.agents}
    same = 0
    with closing(Players(plan, board.salt)) as players:
        for number, (seating, deal) in enumerate(chosen):
            (played,) = players.match(seating, Task((seating,), deal, 1))
            expected, found = board.result(board.games[seating][deal]), tuple(played.returns)
            same += expected == found
            _note(differences, seating, expected, found)
            progress(number + 1, len(chosen))
    changed = [agent for agent, was, now in zip(board.agents, board.fingerprints, plan.fingerprints, strict=True) if was != now]
    faults = [fault for agent in board.agents if (fault := _fault(agent, differences[agent]))]
    return Checked(len(chosen), same, tuple(faults), tuple(changed))


def _note(differences: dict[str, list[float]], seating: Seating, expected: tuple[float, ...], found: tuple[float, ...]) -> None:
    """By how much each agent did better than the board says; alone by its return, at a table by its share of the win."""
    before, after = (expected, found) if len(seating) == 1 else (shares_of(expected), shares_of(found))
    for agent, was, now in zip(seating, before, after, strict=True):
        differences[agent].append(now - was)


def _fault(agent: str, differences: list[float]) -> str:
    """That an agent does otherwise than the board says, if it is more than chance; or nothing.

    A game that ended as published is added: few differences that happen to be alike prove nothing.
    """
    if not any(differences):
        return ""
    differences = [*differences, 0.0]
    mean, half = float(np.mean(differences)), float(np.std(differences, ddof=1)) / np.sqrt(len(differences))
    half *= student_95(len(differences) - 1)
    if abs(mean) <= STRICTNESS * half:
        return ""
    return f"{agent} does {'better' if mean > 0 else 'worse'} than published by {abs(mean):.3f} ± {half:.3f} of a win"
