"""`cmd:COMMAND`: a program in any language plays, by the protocol of docs/protocol.md."""

import hashlib
import shutil
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from cardtable.bots.bot import Bot, BotGame, Question
from cardtable.bots.faults import Fault
from cardtable.bots.messages import Answer, Info
from cardtable.bots.process import split_command
from cardtable.errors import AgentError
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.game.sight import View
from cardtable.players.agent import LEFT, Agent, Decisions, Forfeit
from cardtable.players.seen import Seen
from cardtable.players.views import Views
from cardtable.story import Reading, Sights
from cardtable.support.messages import shown
from cardtable.types import Actions

LARGEST_HASHED = 1 << 28
"""Bytes of a file whose content is hashed; of one that is larger or may not be read, size and time of its last change count."""

MOST_GAMES = 4_096
"""Games that are remembered; of more, the oldest are left: a browser's tables may be closed in the middle of a game."""


class CommandAgent(Agent):
    """Asks a program. It is started when it is needed, and ended by `close` or when the agent is forgotten."""

    about = "a bot: a program in any language that reads and writes lines of JSON (docs/protocol.md)"
    takes = "COMMAND"
    wants_stories = True
    keeps_time = True

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        super().__init__(game, options, argument)
        self.command = split_command(argument or "")
        self.info: list[Info | None] = []
        """What the bot said about each of its last decisions."""
        self._sights = Sights(game, options)
        self._made: Bot | None = None
        self._games: dict[tuple[int, int], BotGame] = {}

    @property
    def bot(self) -> Bot:
        """The conversation with the program, with counts of its faults; made with the clocks as they are when it begins."""
        if self._made is None:
            self._made = Bot(self.command, self.game, self.options, self.clocks)
        return self._made

    def prepare(self) -> None:
        """Start the program; `AgentError` if it does not get ready."""
        try:
            self.bot.start()
        except Fault as fault:
            raise AgentError(f"bot {shown(self.argument)}: {fault.detail}{_wrote(fault.line)}") from None

    def fingerprint(self) -> str:
        """A hash of the program and of every argument that is a file; directories and what the program reads are not seen."""
        program = shutil.which(self.command[0]) or self.command[0]
        digest = hashlib.sha256()
        for path in map(Path, (program, *self.command[1:])):
            if path.is_file():
                found = path.stat()
                digest.update(f"{path.name} {_hash_of(path.resolve(), found.st_size, found.st_mtime_ns)} ".encode())
        return digest.hexdigest()[:16]

    def act(self, views: Views) -> Actions:
        """One legal action for each view; `AgentError` if the bot forfeits a game."""
        decisions = self.decide(views)
        for forfeit in decisions.forfeits.values():
            reason = f"{forfeit.reason}: {forfeit.detail}{_wrote(forfeit.line)}"
            raise AgentError(f"bot {shown(self.argument)} forfeits its game: {reason}")
        return decisions.actions

    def decide(self, views: Views) -> Decisions:
        """The bot's answers, and the games that it forfeits by its second fault."""
        games = [self._game(seen) for seen in views.seen] or [self._new_game(None) for _ in range(len(views))]
        questions = [self._question(views, place, game) for place, game in enumerate(games)]
        outcomes = self.bot.decide(questions)
        if not views.seen:
            for game in games:
                self.bot.game_over(game, LEFT, None, None)
        self.info = [outcome.info if isinstance(outcome, Answer) else None for outcome in outcomes]
        actions = np.array([outcome.action if isinstance(outcome, Answer) else 0 for outcome in outcomes], ACTION)
        faults = {place: outcome for place, outcome in enumerate(outcomes) if isinstance(outcome, Fault)}
        return Decisions(actions, {place: Forfeit(each.reason, each.detail, each.line) for place, each in faults.items()})

    def remark(self) -> str:
        """What the bot said of its last decision, in words."""
        info = (self.info[-1] if self.info else None) or Info()
        value = "" if info.value is None else f"it expects to win {info.value:g} (-1 to 1)"
        return "; ".join(filter(None, [value, f"it says: {info.text}" if info.text else ""]))

    def _game(self, seen: Seen) -> BotGame:
        """What we know of a game; the seats of one that the bot plays on both sides are games of their own."""
        key = (seen.number, seen.seat)
        if key not in self._games:
            self._leave_forgotten_games()
            self._games[key] = self._new_game(seen)
        game = self._games[key]
        game.seen = seen  # a course may be told by a copy of the game, of which this is the newest
        return game

    def _new_game(self, seen: Seen | None) -> BotGame:
        return self.bot.new_game(seen, Reading(self._sights))

    def _leave_forgotten_games(self) -> None:
        """Of a table that has been dealt anew, and of games long ago, nobody says how they ended."""
        old = [key for key, game in self._games.items() if game.seen is not None and game.seen.number != key[0]]
        old += [key for key in self._games if key not in old][: max(len(self._games) - len(old) - MOST_GAMES + 1, 0)]
        for key in old:
            game = self._games.pop(key)
            game.seen = None
            self.bot.game_over(game, LEFT, None, None)

    def _question(self, views: Views, place: int, game: BotGame) -> Question:
        seat = int(views.seat[place])

        def view() -> View:
            return self._sights.view(views.records[place : place + 1], seat, game.reading)

        def record() -> bytes:
            return self.game.pack(views.records[place : place + 1])

        decision, key = int(views.records["length"][place]), int(views.key[place])
        return Question(game, seat, views.mask[place], views.observation[place], view, decision, key, record)

    def game_over(self, seen: Seen, ending: str, scores: Sequence[float] | None, returns: Sequence[float] | None) -> None:
        """Tell the bot how a game has ended that it knows."""
        game = self._games.pop((seen.number, seen.seat), None)
        if game is not None:
            self.bot.game_over(game, ending, scores, returns)

    def close(self) -> None:
        """Let the program quit."""
        self._games.clear()
        if self._made is not None:
            self._made.close()


def _wrote(line: str) -> str:
    """The line that was at fault, if there is one."""
    return f"; it wrote: {line}" if line else ""


@cache
def _hash_of(path: Path, size: int, changed: int) -> str:
    """What identifies the content of a file that has not changed since."""
    if size <= LARGEST_HASHED:
        with suppress(PermissionError), path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    return f"{size} {changed}"
