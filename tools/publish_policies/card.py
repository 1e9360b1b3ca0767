"""The model card of a policy as plain data: all that is known of it, kept in a JSON file. `pages` prints it."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy

from cardtable.errors import CardtableError
from cardtable.support import files
from tools.publish_policies.measure import CHOOSING, REPORTING, Deals, Measurement
from tools.publish_policies.runs import FinishedRun, changed_options

FORMAT = "cardtable policy card 1"
LARGEST_FILE = 1 << 20
"""Bytes of a file of facts; ours have about 10,000."""


@dataclass(frozen=True)
class Candidate:
    """A run that the policy was chosen from, and how its policy did on the choosing deals."""

    seed: int
    command: str
    fingerprint: str
    steps: int
    seconds: int
    measured: Measurement


@dataclass(frozen=True)
class Card:
    """All that is known of a policy that comes with the package."""

    name: str
    """Of its file, without the suffix."""
    game: str
    fingerprint: str
    """Of the policy as it is loaded from its file."""
    bytes: int
    """Of the file."""
    num_players: int
    options: dict[str, Any]
    """Those that it was trained with, the number of players apart, that are not the default."""
    layers: tuple[int, ...]
    """Units of the hidden layers."""
    parameters: int
    values: int
    """How many seats' returns its value head expects; 0 without one."""
    advice: str | None
    learner: str
    imitated: tuple[str, int]
    """A teacher, and how many of its decisions were imitated."""
    threads: int | None
    machine: dict[str, str | int | None]
    """Where it was trained."""
    versions: dict[str, str]
    """What it was trained with."""
    candidates: tuple[Candidate, ...]
    chosen: int
    """Which of them it is."""
    choosing: Deals
    reporting: Deals
    figures: tuple[Measurement, ...]

    @property
    def origin(self) -> Candidate:
        """The run that the policy comes from."""
        return self.candidates[self.chosen]

    @property
    def alone(self) -> bool:
        """Whether the game is for one player."""
        return self.num_players == 1

    def figure(self, against: str) -> Measurement | None:
        """What was measured against an agent."""
        return next((each for each in self.figures if each.against == against), None)


def make_card(run: FinishedRun, file: Path, candidates: Sequence[Candidate], figures: Sequence[Measurement]) -> Card:
    """The card of a run's policy as it is in a file; the run is one of the candidates."""
    loaded = policy.load(file, run.game)
    machine, fingerprint = dict(run.header.get("machine") or {}), loaded.fingerprint()
    return Card(
        name=policy.shipped_name(run.game, run.options.num_players),
        game=run.game.id,
        fingerprint=fingerprint,
        bytes=file.stat().st_size,
        num_players=run.options.num_players,
        options={
            name: value
            for name, value in changed_options(run.game.parse_options({}), run.options).items()
            if name != "num_players"
        },
        layers=tuple(int(bias.size) for _, bias in loaded.layers[:-1]),
        parameters=number_of_parameters(loaded),
        values=len(loaded.value[1]) if loaded.value else 0,
        advice=loaded.advice.agent if loaded.advice else None,
        learner=str(run.about.get("learner", "")),
        imitated=_imitated(run.about.get("imitated")),
        threads=run.settings.get("threads") or machine.get("cores"),
        machine=machine,
        versions=dict(run.header.get("versions") or {}),
        candidates=tuple(candidates),
        chosen=[each.fingerprint for each in candidates].index(fingerprint),
        choosing=CHOOSING,
        reporting=REPORTING,
        figures=tuple(figures),
    )


def number_of_parameters(loaded: Policy) -> int:
    """How many numbers a policy has, those of its value head included."""
    layers = [*loaded.layers, *([loaded.value] if loaded.value else [])]
    return sum(int(array.size) for layer in layers for array in layer)


def _imitated(plain: object) -> tuple[str, int]:
    match plain:
        case [str(teacher), int(decisions)]:
            return teacher, decisions
    return "", 0


# ---- Files


def write_facts(card: Card, path: Path) -> None:
    """Write everything that the page is printed from."""
    files.write_whole(path, json.dumps({"format": FORMAT, **asdict(card)}, indent=1) + "\n")


def read_facts(path: Path) -> Card:
    """The card whose facts are in a file; `CardtableError` if they are not."""
    try:
        plain = json.loads(files.read_text(path, LARGEST_FILE))
        if plain.pop("format") != FORMAT:
            raise ValueError(f"expected the format {FORMAT!r}")
        return _card(plain)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise CardtableError(f"{path}: not the facts of a policy's card: {error}") from None


def _card(plain: dict[str, Any]) -> Card:
    candidates = [Candidate(**{**each, "measured": Measurement(**each["measured"])}) for each in plain["candidates"]]
    rebuilt = {
        "layers": tuple(plain["layers"]),
        "imitated": tuple(plain["imitated"]),
        "candidates": tuple(candidates),
        "choosing": Deals(**plain["choosing"]),
        "reporting": Deals(**plain["reporting"]),
        "figures": tuple(Measurement(**each) for each in plain["figures"]),
    }
    return Card(**{**plain, **rebuilt})
