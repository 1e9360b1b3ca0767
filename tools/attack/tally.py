"""What an attack found, counted: one row of the table in docs/reliability.md."""

from collections import Counter
from dataclasses import dataclass, field

SHOWN = 20
"""How many failures are told in full."""


@dataclass
class Tally:
    """How the cases of one attack ended. An outcome is a few words: "refused", "harmless", "resumed"."""

    attack: str
    """What was attacked, and how: "replay, damaged"."""
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    """What should not have happened, each with what is needed to see it again."""

    @property
    def tried(self) -> int:
        """How many cases there were."""
        return self.outcomes.total() + len(self.failures)

    def count(self, outcome: str) -> None:
        """A case ended well, in this way."""
        self.outcomes[outcome] += 1

    def fail(self, failure: str) -> None:
        """A case ended badly."""
        self.failures.append(failure)

    def row(self) -> str:
        """The row of the table."""
        ended = ", ".join(f"{number:,} {outcome}" for outcome, number in self.outcomes.most_common())
        return f"| {self.attack} | {self.tried:,} | {ended} | {len(self.failures)} |"

    def report(self) -> str:
        """The row, and the failures."""
        more = [f"  … and {len(self.failures) - SHOWN} more"] if len(self.failures) > SHOWN else []
        return "\n".join([self.row(), *(f"  FAILED {failure}" for failure in self.failures[:SHOWN]), *more])


HEADER = "| attack | cases | ended | failures |\n| --- | --: | --- | --: |"
