"""A bot on trial: one process of it, and games that it plays against chance."""

import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from cardtable.bots import guardian, messages
from cardtable.bots.bot import READY_SECONDS
from cardtable.bots.faults import Fault
from cardtable.bots.messages import Message, Ready
from cardtable.bots.process import BotProcess
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import LEFT, Clocks
from cardtable.players.views import view_of
from cardtable.table import Table

UNASKED = "unasked"
STAYS = "stays"
WRONG_INFO = "wrong info"
"""What an arena passes over: a line that nobody asked for, a bot that has to be ended, an `info` that cannot be shown."""
QUIET_SECONDS = 0.3
"""How long to listen where nothing should be said."""
SALT = keys.open_salt("trial")


class Sitting:
    """A game that the bot plays at one seat; chance plays the others."""

    def __init__(self, game: Game, options: Options, number: int, seat: int) -> None:
        """Deal it. The same number gives the same deal, and the same chance."""
        self.number, self.seat = number, seat
        self.table = Table(game, options)
        self.table.deal(seed=number)
        self.told = 0
        """How many events the bot has been told."""
        self._chance = np.random.default_rng(number)

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.table.ending)

    @property
    def where(self) -> str:
        """Which decision this is, for people."""
        return f"game {self.number}, seat {self.seat}, decision {len(self.table.history)}"

    def advance(self) -> None:
        """Play by chance until the bot decides, or the game is over."""
        while not self.over and self.table.seat != self.seat:
            self._play_by_chance()

    def play(self, action: int) -> None:
        """Play what the bot has chosen, and go on to its next decision."""
        self.table.play(action)
        self.advance()

    def play_into(self, decisions: int) -> None:
        """Play so many decisions by chance; then the bot has the seat that is to act."""
        for _ in range(decisions):
            if not self.over:
                self._play_by_chance()
        self.seat = self.table.seat

    def _play_by_chance(self) -> None:
        self.table.play(int(self._chance.choice(np.flatnonzero(self.table.mask))))

    def entry(self, wants: Sequence[str], clocks: Clocks) -> Message:
        """What the bot is asked, with what it wants to know."""
        table, ids = self.table, np.flatnonzero(self.table.mask).tolist()
        clock = {"move": clocks.per_move, "game": clocks.per_game}
        asked = messages.entry(self.number, self.seat, len(table.history), table.game.actions, ids, clock)
        return {**asked, **{name: self._offer(name) for name in wants}}

    def _offer(self, name: str) -> Any:  # noqa: ANN401  # whatever a message holds
        match name:
            case "view":
                return self.table.view(self.seat)
            case "events":
                return self.new_events()
            case "observation":
                return self.table.observation.tolist()
            case "mask":
                return self.table.mask.tolist()
        views = view_of(self.table, SALT)
        return str(views.key[0]) if name == "key" else b64encode(self.table.game.pack(views.records)).decode()

    def new_events(self) -> list[dict[str, Any]]:
        """What happened since the bot was last told."""
        events = self.table.events(self.seat, self.told)
        self.told += len(events)
        return events


class Trial:
    """One process of a bot under some options. Whatever it does wrong is raised as a `Fault`."""

    def __init__(self, command: str, game: Game, options: Options, clocks: Clocks) -> None:
        self._started = time.perf_counter()
        self.process = BotProcess(command)
        self.game, self.options, self.clocks = game, options, clocks
        self.ready = Ready()
        self.times: list[float] = []
        """Seconds that each answer took; of an answer about several games, its share for each."""
        self.by_name, self.by_number = 0, 0

    # ---- Messages that want no answer

    def say(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        self.process.send(messages.encode(message))

    def start(self, sitting: Sitting) -> None:
        """A game begins for the bot."""
        if sitting.table.history:
            sitting.new_events()  # they are in the view
        self.say(messages.start(sitting.number, sitting.seat, sitting.table.view(sitting.seat)))

    def end(self, sitting: Sitting) -> None:
        """A game is over, or goes on without the bot, which could not play it."""
        events = sitting.new_events() if "events" in self.ready.wants else None
        returns, scores = sitting.table.result() if sitting.over else (None, None)
        ending = sitting.table.ending.name.lower() if sitting.over else LEFT
        self.say(messages.end(sitting.number, ending, scores, returns, events))

    def require_silence(self, after: str) -> str:
        """Listen for a moment."""
        time.sleep(QUIET_SECONDS)
        self._require_no_line(f"in answer to {after}")
        return "silence"

    def _require_no_line(self, when: str) -> None:
        line = self.process.drop_unasked()
        if line:
            raise Fault(UNASKED, f"it wrote a line {when}", line)

    def leave(self) -> str:
        """Say `quit`."""
        self.say(messages.leave())
        start = time.perf_counter()
        self.process.close()
        seconds = time.perf_counter() - start
        if seconds >= guardian.LEAVE_SECONDS:
            raise Fault(STAYS, f"it was still there {guardian.LEAVE_SECONDS:.0f} s after `quit` and the end of its input")
        return f"after {seconds:.2f} s"

    # ---- Messages that want one

    def greet(self, more: Mapping[str, Any] | None = None) -> float:
        """Say `hello`, with `more` in it; how long the bot took from its start to be `ready`."""
        self.say({**messages.hello(self.game, self.options, self.clocks), **(more or {})})
        line = self.process.receive(max(READY_SECONDS, self.clocks.per_move or 0))
        try:
            self.ready = messages.read_ready(messages.decode(line))
        except Fault as fault:
            raise Fault(fault.reason, fault.detail, line) from None
        return time.perf_counter() - self._started

    def decide(self, sitting: Sitting, more: Mapping[str, Any] | None = None) -> int:
        """What the bot plays in one game; `more` is added to the question."""
        entry = {**sitting.entry(self.ready.wants, self.clocks), **(more or {})}
        return self._decisions(messages.ask([entry]), [sitting])[sitting.number]

    def decide_again(self, sitting: Sitting, fault: Fault) -> int:
        """What the bot plays after its answer was refused."""
        entry = sitting.entry(self.ready.wants, self.clocks)
        return self._decisions(messages.refused([entry], {sitting.number: fault}), [sitting])[sitting.number]

    def play(self, sittings: Sequence[Sitting]) -> None:
        """Play games side by side, from their deals to their ends."""
        for sitting in sittings:
            self.start(sitting)
            sitting.advance()
        going_on = list(sittings)
        while going_on:
            for over in [sitting for sitting in going_on if sitting.over]:
                self.end(over)
                going_on.remove(over)
            if going_on:
                entries = [sitting.entry(self.ready.wants, self.clocks) for sitting in going_on]
                decisions = self._decisions(messages.ask(entries), going_on)
                for sitting in going_on:
                    sitting.play(decisions[sitting.number])

    def _decisions(self, message: Message, sittings: Sequence[Sitting]) -> dict[int, int]:
        """By number of the game, what the bot answers to a question."""
        self._require_no_line("before it was asked")
        self.say(message)
        start, per_move = time.perf_counter(), self.clocks.per_move
        line = self.process.receive(None if per_move is None else per_move * len(sittings))
        self.times += [(time.perf_counter() - start) / len(sittings)] * len(sittings)
        try:
            decisions = self._read(line, message["asks"], {sitting.number: sitting.where for sitting in sittings})
        except Fault:  # what it meant to answer may come yet: it does not belong to the next question
            time.sleep(QUIET_SECONDS)
            self.process.drop_unasked()
            raise
        self._require_no_line("after its answer")
        return decisions

    def _read(self, line: bytes, asks: Sequence[Message], where: Mapping[int, str]) -> dict[int, int]:
        try:
            given = messages.decode(line)
            answers, faults = messages.read_answers(given, asks, self.game.actions)
        except Fault as fault:
            raise Fault(fault.reason, f"{where[asks[0]['game']]}: {fault.detail}", line) from None
        for game, wrong in faults.items():
            raise Fault(wrong.reason, f"{where[game]}: {wrong.detail}", line)
        for each in given.get("answers", [{"game": asks[0]["game"], **given}]):
            if isinstance(each, dict) and each.get("game") in answers:  # others are passed over
                self._look_at(each, line)
        return {game: answer.action for game, answer in answers.items()}

    def _look_at(self, answer: Message, line: bytes) -> None:
        """Count how actions are named, and look at what is said about one."""
        self.by_name += isinstance(answer["action"], str)
        self.by_number += not isinstance(answer["action"], str)
        _, wrong = messages.read_info(answer.get("info"), self.game.actions)
        if wrong:
            raise Fault(WRONG_INFO, wrong[0], line)
