"""Tries a bot: everything that the protocol asks of it, step by step, and whole games of every variant at every seat."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from cardtable.bots.advice import advice_for
from cardtable.bots.faults import NOT_LEGAL, Fault
from cardtable.bots.trial import Sitting, Trial
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.agent import Clocks

MOST_FAULTS = 5
"""Checks that may fail before the rest is left: every one of them may have taken as long as the clock allows."""
MIDDLE = 6
"""Decisions of a game before its middle begins."""
UNKNOWN_FIELDS: Mapping[str, Any] = {"weather": "rain", "forecast": [{"later": "sun"}]}
UNKNOWN_MESSAGE: Mapping[str, Any] = {"type": "weather", **UNKNOWN_FIELDS}
"""What the protocol does not have, but a later version might."""


@dataclass(frozen=True)
class Finding:
    """One check: what was tried, and what was found."""

    tried: str
    found: str
    fault: Fault | None = None
    advice: str = ""
    errors: str = ""
    """The end of the bot's standard error, if its process has ended."""


def number_of_checks(variants: Sequence[Mapping[str, Any]]) -> int:
    """How many checks are made of a bot without faults."""
    return len(STEPS) + len(variants)


def check_bot(command: str, game: Game, variants: Sequence[Mapping[str, Any]], clocks: Clocks) -> Iterator[Finding]:
    """Every check, as it is made. The dialogue is tried under the first variant; one that breaks off is all that is tried."""
    first, failed = game.parse_options(variants[0]), 0
    for finding in Dialogue(command, game, first, clocks).findings():
        yield finding
        failed += finding.fault is not None
        if finding.fault is not None and (finding.fault.of_the_process or finding.tried == GREETING):
            return
    for options in variants:
        if failed >= MOST_FAULTS:
            return
        finding = _play_variant(command, game, options, clocks)
        yield finding
        failed += finding.fault is not None


# ---- The dialogue

GREETING = "answers `hello` with `ready`"


class Dialogue:
    """One process of the bot that is told all that there is, one thing after the other."""

    def __init__(self, command: str, game: Game, options: Options, clocks: Clocks) -> None:
        self.trial = Trial(command, game, options, clocks)
        self.game = Sitting(game, options, number=1, seat=0)

    def findings(self) -> Iterator[Finding]:
        """What was found, step by step; after a fault of the process there is no next one."""
        try:
            for tried, step in STEPS:
                finding = _found(tried, partial(step, self), self.trial)
                yield finding
                if finding.fault is not None and finding.fault.of_the_process:
                    break
        finally:
            self.trial.process.end()

    def _greet(self) -> str:
        seconds = self.trial.greet(UNKNOWN_FIELDS)
        ready = self.trial.ready
        name = " ".join(filter(None, [ready.name, ready.version])) or "without a name"
        games = "one game at a time" if ready.games == 1 else f"{ready.games} games at once"
        return f"{name}; wants {', '.join(ready.wants) or 'nothing'}; {games}; after {seconds:.2f} s"

    def _unknown_message(self) -> str:
        self.trial.say(UNKNOWN_MESSAGE)
        return self.trial.require_silence("a message of an unknown type")

    def _start(self) -> str:
        self.trial.start(self.game)
        return self.trial.require_silence("`start`")

    def _ask(self) -> str:
        self.game.advance()
        action = self.trial.decide(self.game, UNKNOWN_FIELDS)
        return f"{self.trial.game.actions.names[action]!r} after {self.trial.times[-1]:.2f} s"

    def _refuse(self) -> str:
        fault = Fault(NOT_LEGAL, "refused on purpose: a bot must answer again, with any action that is legal")
        action = self.trial.decide_again(self.game, fault)
        self.game.play(action)
        return f"{self.trial.game.actions.names[action]!r} after {self.trial.times[-1]:.2f} s"

    def _play_on(self) -> str:
        while not self.game.over:
            self.game.play(self.trial.decide(self.game))
        return f"{self.game.table.ending.name.lower()} after {len(self.game.table.history)} decisions"

    def _end(self) -> str:
        self.trial.end(self.game)
        return self.trial.require_silence("`end`")

    def _middle(self) -> str:
        for decisions in range(MIDDLE, -1, -1):  # a game may be as short as its options say
            middle = Sitting(self.trial.game, self.trial.options, number=2, seat=0)
            middle.play_into(decisions)
            if not middle.over:
                break
        self.trial.start(middle)
        action = self.trial.decide(middle)
        return f"{self.trial.game.actions.names[action]!r} at decision {len(middle.table.history)}"

    def _quit(self) -> str:
        return self.trial.leave()


STEPS: tuple[tuple[str, Callable[[Dialogue], str]], ...] = (
    (GREETING, Dialogue._greet),
    ("ignores a type of message that it does not know", Dialogue._unknown_message),
    ("says nothing when a game starts", Dialogue._start),
    ("answers an `ask`, and ignores a field that it does not know", Dialogue._ask),
    ("answers again after `refused`", Dialogue._refuse),
    ("plays the game to its end", Dialogue._play_on),
    ("says nothing when a game ends", Dialogue._end),
    ("takes over a game in its middle", Dialogue._middle),
    ("ends at `quit`", Dialogue._quit),
)
"""What is tried, in order, and how."""


# ---- Whole games


def _play_variant(command: str, game: Game, variant: Mapping[str, Any], clocks: Clocks) -> Finding:
    """Games at every seat, in a new process; side by side if the bot takes several at once."""
    options = game.parse_options(variant)
    trial = Trial(command, game, options, clocks)
    named = " ".join(f"{name}={getattr(value, 'name', value)}" for name, value in variant.items()) or "default options"
    finding = _found(f"plays whole games: {named}", partial(_play_games, trial), trial)
    trial.process.end()
    return finding


def _play_games(trial: Trial) -> str:
    trial.greet()
    players = trial.options.num_players
    at_once = min(trial.ready.games, 2 * players)
    games = [Sitting(trial.game, trial.options, number, number % players) for number in range(at_once + -at_once % players)]
    for first in range(0, len(games), at_once):
        trial.play(games[first : first + at_once])
    trial.leave()
    seats = "its only seat" if players == 1 else f"all {players} seats"
    how = f"{trial.by_name:,} by name, {trial.by_number:,} by number"
    slowest = f"the slowest answer after {max(trial.times):.2f} s"
    return f"{len(games)} games at {seats}, {len(trial.times):,} questions ({how}), {slowest}"


def _found(tried: str, step: Callable[[], str], trial: Trial) -> Finding:
    """Make a check."""
    try:
        return Finding(tried, step())
    except Fault as fault:
        advice, errors = advice_for(fault, greeting=tried == GREETING), trial.process.errors if fault.of_the_process else ""
        return Finding(tried, f"{fault.reason}: {fault.detail}", fault, advice, errors)
