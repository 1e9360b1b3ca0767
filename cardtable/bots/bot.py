"""`Bot`: the conversation with a bot, from `hello` to `quit`, with its clocks, retries, restarts and forfeits.

Whatever the program does, `decide` returns for every question an answer that can be played or the fault that forfeits the game.
"""

import math
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from cardtable.bots import messages
from cardtable.bots.faults import NOT_STARTED, OUT_OF_TIME, TOO_MANY, Fault, quoted
from cardtable.bots.messages import Answer, Message, Ready
from cardtable.bots.process import BotProcess
from cardtable.errors import AgentError
from cardtable.game.events import Event
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.sight import View
from cardtable.players.agent import Clocks
from cardtable.players.seen import Seen
from cardtable.story import Reading
from cardtable.types import Mask, Observation

READY_SECONDS = 30.0
"""Until a bot must be ready; or as long as a move may take, if that is longer."""
MOST_FAULTS = 10
"""Messages in a row that bring no action that could be played, after which all games in progress are forfeited."""

Outcome = Answer | Fault
"""What comes of a question; a fault forfeits the game."""


class BotGame:
    """A game of a bot, from our side."""

    def __init__(self, number: int, seen: Seen | None, reading: Reading) -> None:
        self.number = number
        self.reading = reading
        """What makes views of it quicker."""
        self.seen = seen
        """None where games have no history."""
        self.seconds = 0.0
        """How long the bot has taken in this game."""
        self.told = 0
        """How many events the bot knows of."""
        self.process = 0
        """Which of the bot's processes, counted from 1, knows the game."""
        self.entry: Message = {}
        """What it was last asked."""
        self.forfeit: Fault | None = None
        """Why it is lost whatever the bot does."""


@dataclass(frozen=True)
class Question:
    """A decision that the bot is to make."""

    game: BotGame
    seat: int
    mask: Mask
    observation: Observation
    view: Callable[[], View]
    """What the seat sees now."""
    decision: int
    key: int
    """64 random bits."""
    record: Callable[[], bytes]
    """The record without what the seat cannot know, packed."""

    @property
    def number(self) -> int:
        """The number of its game."""
        return self.game.number


class Bot:
    """One program that plays one game under some options: started when it is needed, and again when it has failed."""

    def __init__(self, command: Sequence[str], game: Game, options: Options, clocks: Clocks) -> None:
        self.command = list(command)
        self.game, self.options, self.clocks = game, options, clocks
        self.ready = Ready()
        """What the bot has said of itself."""
        self.faults: Counter[str] = Counter()
        """How often it has done what is not allowed, by reason."""
        self.unasked = 0
        """How often it has written what nobody asked for."""
        self.starts = 0
        """How many processes there have been."""
        self._process: BotProcess | None = None
        self._games = 0
        self._in_progress: dict[int, BotGame] = {}
        self._row = 0  # messages without an action that could be played, since there was one

    # ---- Starting and ending

    def start(self) -> None:
        """Have a process that is ready; `Fault` if that cannot be had."""
        if self._process is not None:
            return
        try:
            self._process = BotProcess(self.command)
            self.starts += 1
            self._process.send(messages.encode(messages.hello(self.game, self.options, self.clocks)))
            line = self._process.receive(max(READY_SECONDS, self.clocks.per_move or 0))
            self.ready = messages.read_ready(messages.decode(line))
        except (Fault, AgentError) as error:
            self._end()
            detail = error.detail if isinstance(error, Fault) else str(error)
            raise Fault(NOT_STARTED, f"it does not get ready: {detail}", getattr(error, "line", "").encode()) from None

    def close(self) -> None:
        """Let the bot quit; it is started again when it is asked."""
        if self._process is not None:
            self._process.send(messages.encode(messages.leave()))
            self._process.close()
            self._process = None
        self._in_progress.clear()

    def _end(self) -> None:
        """End the process at once; the games go on with the next one."""
        if self._process is not None:
            self._process.end()
            self._process = None

    # ---- Games

    def new_game(self, seen: Seen | None, reading: Reading) -> BotGame:
        """A game that the bot has not heard of."""
        self._games += 1
        game = self._in_progress[self._games] = BotGame(self._games, seen, reading)
        return game

    def game_over(self, game: BotGame, ending: str, scores: Sequence[float] | None, returns: Sequence[float] | None) -> None:
        """Tell the bot, if it knows the game, how that has ended."""
        self._in_progress.pop(game.number, None)
        if self._process is not None and game.process == self.starts:
            events = self._news(game) if "events" in self.ready.wants else None
            self._process.send(messages.encode(messages.end(game.number, ending, scores, returns, events)))

    def _news(self, game: BotGame) -> list[Event]:
        """What the seat has seen happen since the bot was told last."""
        events = game.seen.events(game.told) if game.seen is not None else []
        game.told += len(events)
        return events

    # ---- Asking

    def decide(self, questions: Sequence[Question]) -> list[Outcome]:
        """What comes of each question: an answer that can be played, or the fault for which its game is forfeited."""
        outcomes: dict[int, Outcome] = {}
        waiting = list(questions)
        while waiting:
            with suppress(Fault):  # met again when it is asked
                self.start()
            batch, waiting = waiting[: self.ready.games], waiting[self.ready.games :]
            outcomes |= self._decide_batch(batch)
        return [outcomes[each.number] for each in questions]

    def _decide_batch(self, batch: Sequence[Question]) -> dict[int, Outcome]:
        """What comes of questions that are asked at once; of those with a fault, what comes of the second try."""
        asked = [each for each in batch if self._lost(each.game) is None]
        answers, faults = self._exchange(asked, {})
        again = [each for each in asked if each.number in faults and self._may_try_again(each.game, faults[each.number])]
        for group in [again] if self._process is not None else [[each] for each in again]:
            left = [each for each in group if self._lost(each.game) is None]
            better, worse = self._exchange(left, faults)
            answers, faults = answers | better, faults | worse
        lost = {each.number: fault for each in batch if (fault := self._lost(each.game)) is not None}
        return {**faults, **answers, **lost}

    def _may_try_again(self, game: BotGame, fault: Fault) -> bool:
        return fault.reason != NOT_STARTED and self._lost(game) is None

    def _lost(self, game: BotGame) -> Fault | None:
        """Why a game is forfeited without a question, if it is."""
        if self._limit(game) <= 0:
            return Fault(OUT_OF_TIME, f"{game.seconds:.3g} s of {self.clocks.per_game} s for the game are used up")
        return game.forfeit

    def _exchange(self, asked: Sequence[Question], refused: Mapping[int, Fault]) -> tuple[dict[int, Answer], dict[int, Fault]]:
        """Ask, and wait for the line that answers: by number of the game, answers that can be played and faults.

        `refused`: why the games were asked about before, if they were.
        """
        if not asked:
            return {}, {}
        try:
            line = self._ask(asked, refused)
            entries = [each.game.entry for each in asked]
            answers, faults = messages.read_answers(messages.decode(line), entries, self.game.actions)
            for fault in faults.values():
                fault.line = quoted(line)
        except Fault as fault:
            if fault.of_the_process:
                self._end()
            answers, faults = {}, {each.number: fault.kept() for each in asked}
        self._count(faults, failed=not answers)
        return answers, faults

    def _ask(self, asked: Sequence[Question], refused: Mapping[int, Fault]) -> bytes:
        """Send what the bot is to know, and the questions; the line that comes back."""
        self.start()
        process = self._process
        assert process is not None
        if process.drop_unasked():
            self.unasked += 1
        refusing = all(each.game.process == self.starts and each.number in refused for each in asked)
        limit = sum(self._limit(each.game) for each in asked)
        for each in asked:
            self._tell(process, each, refusing)
        entries = [each.game.entry for each in asked]
        begin = time.monotonic()
        process.send(messages.encode(messages.refused(entries, refused) if refusing else messages.ask(entries)))
        try:
            return process.receive(None if limit == math.inf else limit)
        finally:
            share = (time.monotonic() - begin) / len(asked)
            for each in asked:
                each.game.seconds += share

    def _tell(self, process: BotProcess, question: Question, refusing: bool) -> None:
        """Write the question's entry of `asks`; to a process that does not know the game, say first what it is about."""
        game, wants = question.game, self.ready.wants
        if refusing:  # as before
            game.entry["clock"] = self._clock(game)
            return
        if game.process != self.starts:
            process.send(messages.encode(messages.start(game.number, question.seat, self._first_view(question))))
            game.process = self.starts
        ids = np.flatnonzero(question.mask).tolist()
        game.entry = messages.entry(game.number, question.seat, question.decision, self.game.actions, ids, self._clock(game))
        if "events" in wants:
            game.entry["events"] = self._news(game)
        if "view" in wants:
            game.entry["view"] = question.view()
        if "observation" in wants:
            game.entry["observation"] = question.observation.tolist()
        if "mask" in wants:
            game.entry["mask"] = question.mask.tolist()
        if "key" in wants:
            game.entry["key"] = str(question.key)
        if "record" in wants:
            game.entry["record"] = b64encode(question.record()).decode()

    def _first_view(self, question: Question) -> View:
        """What a process that does not know the game is shown: the deal; after another process, the table as it is now."""
        game = question.game
        if game.seen is not None and game.process == 0:
            return game.seen.opening()
        if "events" in self.ready.wants:
            self._news(game)
        return question.view()

    # ---- Clocks and faults

    def _limit(self, game: BotGame) -> float:
        """Seconds that a decision may take now."""
        per_move, per_game = self.clocks.per_move, self.clocks.per_game
        return min(per_move or math.inf, math.inf if per_game is None else per_game - game.seconds)

    def _clock(self, game: BotGame) -> dict[str, float | None]:
        per_game = self.clocks.per_game
        return {"move": self.clocks.per_move, "game": None if per_game is None else round(per_game - game.seconds, 3)}

    def _count(self, faults: Mapping[int, Fault], failed: bool) -> None:
        """Count the faults of a message; after too many in a row all games in progress are lost."""
        self.faults.update(fault.reason for fault in faults.values())
        self._row = self._row + 1 if failed else 0
        if self._row >= MOST_FAULTS:
            last = next(iter(faults.values()))
            fault = Fault(TOO_MANY, f"{self._row} faults in a row without an action that could be played; the last: {last}")
            fault.line = last.line
            for game in self._in_progress.values():
                game.forfeit = game.forfeit or fault
