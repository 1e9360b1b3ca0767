"""`Game`: everything the shared code needs to know of a game: its data and its kernels."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np

from cardtable.engine import dispatch, loops, random_play
from cardtable.engine.jit import as_games, compile_calls, compile_once, second_process
from cardtable.engine.kernels import Kernels
from cardtable.errors import DealError, OptionError, StateError
from cardtable.game.actions import ActionSpace
from cardtable.game.events import Events
from cardtable.game.layout import Layout
from cardtable.game.look import Look, Sign
from cardtable.game.options import Options
from cardtable.game.record import LARGEST_SEED, MAX_PLAYERS, SEATS, Field, Record, label_index
from cardtable.game.sight import Sight, View
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer, plain_data
from cardtable.support.svg import Theme
from cardtable.types import Actions, Records

DIGEST_BYTES = 16
ACTION = np.int64
"""The dtype of action ids."""

COMPILE_BACKWARDS = "import sys; from cardtable.game.registry import find; find(sys.argv[1]).compile_backwards()"
"""What the second process does while a game is compiled."""


@dataclass(frozen=True)
class Deck:
    """A deck whose order a user may give: `reset(options={"deal": {name: [cards, top first]}})`."""

    name: str
    meaning: str
    place: Callable[[Any, list[int], Collection[str]], None] | None = None
    """(record, cards top first, names of the decks placed before): puts a deck into the record that is more than an order
    of the cards that lie there; `DealError` without a place in it. None: the deck is an order of those cards."""


@dataclass(frozen=True, eq=False, repr=False)
class Game:
    """A card game as data plus kernels. Adapters, batches, replays, tables and tests are written against this."""

    id: str
    """The versioned name: `muster_v0`."""
    title: str
    rules_version: int
    """Goes up whenever play or observations change; replays and states name it."""
    options: type[Options]
    state: Record
    actions: ActionSpace
    layout: Layout
    """What a seat sees."""
    hidden: Layout
    """What no seat sees."""
    clauses: type[IntEnum]
    """The clauses that `witness` counts."""
    faults: type[IntEnum]
    """What `check` can find wrong."""
    kernels: Kernels[Any]
    """What plays it: `Kernels[State](…)`, with the `State` of the game's `types`."""
    decks: Mapping[str, Deck]
    """Record field -> the deck that can be injected there."""
    infos: Mapping[str, str]
    """The integers that `infos` hold of each agent, by name, with what they mean: each is an entry of `summary`."""
    summary: Callable[[Any, Any], list[dict[str, Any]]]
    """(record, options) -> how the game went for each seat, in numbers and words, once it is over."""
    sight: Sight
    """What seats see of each field of the record."""
    events: Events
    """What happens in it, by kinds, and what followed from an action."""
    text: Callable[[View, Any, Look], str]
    """(what the seat sees, options, who looks and how) -> the table as a person at that seat sees it."""
    legend: Sequence[Sign]
    """What the signs in that text mean."""
    explain: Callable[[View, Any, int], str]
    """(what the seat to act sees, options, a legal action) -> what the action does, in short; empty where its name says it."""
    picture: Callable[[View, Any, int | None, Theme], str] | None = None
    """(what the seat sees, options, seat, theme) -> the table as SVG; seat None is a spectator, who sees all. A game may have
    none."""
    variants: Sequence[Mapping[str, Any]] = field(default=({},))
    """Option sets that together reach every rule: what tests, signatures and audits go through."""

    def __post_init__(self) -> None:
        dispatch.register(self.state.dtype, self.kernels)

    def __copy__(self) -> "Game":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __repr__(self) -> str:
        return f"<Game {self.id} rules {self.rules_version}>"

    @property
    def package(self) -> str:
        """The package that the game is in: `muster_env`."""
        return self.kernels.apply.__module__.partition(".")[0]

    # ---- Making games

    def parse_options(self, options: Options | Mapping[str, Any] | None = None) -> Options:
        """The checked options of this game; those that are left out have their defaults."""
        if isinstance(options, self.options):
            return options
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(f"{self.id}: options {shown(options)}: allowed: a dict of options of this game, or None")
        try:
            return self.options.parse(dict(options or {}))
        except OptionError as error:
            raise type(error)(f"{self.id}: {error}") from None

    @cached_property
    def player_counts(self) -> tuple[int, ...]:
        """How many may play."""
        return tuple(number for number in range(1, MAX_PLAYERS + 1) if self._takes(number))

    def _takes(self, players: int) -> bool:
        try:
            self.parse_options({"num_players": players})
        except OptionError:
            return False
        return True

    def blank(self, options: Options, seed: int) -> Records:
        """A record with nothing but options and seed, in an array of one: what every deal starts from."""
        records = self.state.blank()
        options.write_to(records[0])
        records[0]["seed"] = seed
        return as_games(records)

    def new_frame(self, num_games: int, players: int, *, observe: bool = True) -> loops.Frame:
        """Zeroed arrays for a batch."""
        return loops.Frame(
            observation=np.zeros((num_games, self.layout.size if observe else 0), np.float32),
            action_mask=np.zeros((num_games, self.actions.size), np.int8),
            seat=np.zeros(num_games, np.int8),
            rewards=np.zeros((num_games, players), np.float32),
            scores=np.zeros((num_games, players), np.float32),
            terminated=np.zeros(num_games, np.bool_),
            truncated=np.zeros(num_games, np.bool_),
            episode_length=np.zeros(num_games, np.int32),
            final_observation=np.zeros((num_games, self.layout.size if observe else 0), np.float32),
        )

    def new_scratch(self) -> Actions:
        """Room for the ids of all actions, and one more: kernels may write an id before they know that it counts."""
        return np.zeros(self.actions.size + 1, ACTION)

    def prepare(self) -> None:
        """Compile every loop that plays this game, if no cache has them yet."""
        compile_once(self.id, self._compile, record=self.state.dtype)

    def _compile(self) -> None:
        """Two processes go through the loops from both ends; each finds in the cache what the other has compiled."""
        with second_process(COMPILE_BACKWARDS, self.id):
            compile_calls(self._calls())
        options = self.parse_options(self.variants[0])
        blank = self.blank(options, seed=0)
        games = as_games(blank.copy())
        loops.deal_one(games, blank, np.uint64(0))
        loops.set_up_one(games)
        self.summary(games.view(np.recarray)[0], options)

    def compile_backwards(self) -> None:
        """Compile every loop that plays this game, the last one first."""
        compile_calls(reversed(self._calls()))

    def _calls(self) -> list[tuple[Any, ...]]:
        """Every loop that plays this game, with arguments: observing and checking first, dealing and playing last."""
        blank = self.blank(self.parse_options(self.variants[0]), seed=0)
        frame, scratch, zero = self.new_frame(1, int(blank["num_players"][0])), self.new_scratch(), np.uint64(0)
        mask, observation, actions = frame.action_mask[0], frame.observation[0], np.zeros(1, ACTION)
        return [
            (loops.observe_one, blank, 0, observation),
            (loops.observe_hidden_one, blank, np.zeros(self.hidden.size, np.float32)),
            (loops.first_fault, blank, scratch),
            (loops.derive_one, blank),
            (loops.redeal_many, blank, 0, zero),
            (loops.first_illegal_of, actions, actions, frame.action_mask),
            (random_play.choose_many, frame.action_mask, np.zeros(1), actions),
            (random_play.choose_by_number, blank, zero, scratch, actions),
            (loops.look, blank, 0, mask, observation, scratch),
            (loops.begin_many, blank, blank, zero, frame, scratch),
            (loops.step_many, blank, actions, blank, frame, scratch),
            (loops.advance_lanes, blank, actions, actions, frame, scratch),
            (loops.begin_lanes, blank, actions, np.zeros(1, np.uint64), blank, frame, scratch),
            (loops.step_one, blank, 0, mask, observation, scratch),
            (loops.ending_of, blank),
            (loops.result_of, blank, frame.rewards[0], frame.scores[0]),
            (loops.set_up_one, blank),
            (loops.deal_one, blank, blank, zero),
            (random_play.play_out_many, blank, blank, zero, frame, scratch),
            (random_play.play_until, blank, np.zeros(1, np.int64), np.zeros(1, np.int64), zero, frame, scratch),
        ]

    # ---- Injected deals

    def inject(self, games: Records, deal: object, options: Options) -> dict[str, list[str]]:
        """Put the given decks in place of the shuffled ones in games[0]; `DealError` if a deck is impossible.

        Returns the deal as plain data that is nobody else's.
        """
        given = plain_data(deal, f"{self.id}: deal", DealError)
        if not isinstance(given, dict):
            raise DealError(f"{self.id}: a deal is a dict of decks, not {shown(given)}")
        fields = {each.name: each for each in self.state_under(options).fields}
        decks = {deck.name: (deck, fields[name]) for name, deck in self.decks.items()}
        placed: list[str] = []
        for name, cards in given.items():
            if name not in decks:
                raise DealError(f"{self.id}: no deck is called {shown(name)}; decks: {', '.join(decks)}")
            if not isinstance(cards, list):
                raise DealError(f"{self.id}: deck {name!r} is a list of cards, top first, not {shown(cards)}")
            deck, target = decks[name]
            numbers = self._numbers(name, target, cards)
            if deck.place is None:
                self._inject_order(games[0], name, target, cards)
            else:
                deck.place(games.view(np.recarray)[0], numbers, placed)
            placed.append(name)
        return given

    def _numbers(self, name: str, target: Field, cards: Sequence[Any]) -> list[int]:
        assert target.values is not None
        try:
            return [label_index(target.values, card, f"[{i}]", allow_none=False) for i, card in enumerate(cards)]
        except StateError as error:
            raise DealError(f"{self.id}: deck {name!r}{error}") from None

    def _inject_order(self, record: np.void, name: str, stack: Field, cards: Sequence[str]) -> None:
        shuffled, given = Counter(stack.read_entry(record, ())), Counter(cards)
        if given != shuffled:
            missing, extra = shown(dict(shuffled - given)), shown(dict(given - shuffled))
            raise DealError(f"{self.id}: deck {name!r} has the wrong contents: missing {missing}, too many {extra}")
        stack.write_entry(record, (), list(reversed(cards)), name)

    # ---- Saved states

    @cached_property
    def state_header(self) -> bytes:
        """What the bytes of a saved state begin with."""
        layout = hashlib.sha256(repr(self.state.dtype).encode()).hexdigest()[:8]
        return f"cardtable state {self.id} rules {self.rules_version} layout {layout}\n".encode()

    def pack(self, games: Records) -> bytes:
        """games[0] as bytes: header, record, digest."""
        body = self.state_header + games[:1].tobytes()
        return body + hashlib.sha256(body).digest()[:DIGEST_BYTES]

    def unpack(self, data: object, options: Options) -> Records:
        """The record (an array of one) in `data`; `StateError` if it is damaged or not a position under `options`."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise StateError(f"{self.id}: a saved state is bytes, not {type(data).__name__}")
        data, header = bytes(data), self.state_header
        size = len(header) + self.state.dtype.itemsize + DIGEST_BYTES
        if not data.startswith(header):
            raise StateError(f"{self.id}: the state begins with {data[: len(header)]!r}, not {header!r}")
        if len(data) != size:
            raise StateError(f"{self.id}: the state has {len(data)} bytes, not {size}")
        body, digest = data[:-DIGEST_BYTES], data[-DIGEST_BYTES:]
        if hashlib.sha256(body).digest()[:DIGEST_BYTES] != digest:
            raise StateError(f"{self.id}: the state is damaged: its digest does not match")
        records = np.frombuffer(body[len(header) :], self.state.dtype).copy()
        fault = self.state.fault(records[0])
        if fault:
            raise StateError(f"{self.id}: {fault}")
        return self._accept(records, options)

    def freeze(self, games: Records) -> bytes:
        """Records as bytes for `thaw`, as they are: what copies and pickles of tables and batches hold."""
        return self.state_header + games.tobytes()

    def thaw(self, data: bytes) -> Records:
        """The records that `freeze` gave; `StateError` if another version of the game did."""
        header = self.state_header
        if not data.startswith(header):
            raise StateError(f"{self.id}: pickled by another version: {data[: len(header)]!r}, not {header!r}")
        return as_games(np.frombuffer(data, self.state.dtype, offset=len(header)).copy())

    def copy(self, games: Records) -> Records:
        """Records of their own, copied as bytes: numpy copies records field by field, in up to five times the time."""
        return as_games(games.view(np.ndarray).view(np.uint8).copy().view(self.state.dtype))

    def hash(self, games: Records) -> str:
        """A short hash of games[0] as `describe` reads it: independent of how the record is laid out."""
        text = json.dumps(self.describe(games), separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def describe(self, games: Records, options: Options | None = None) -> dict[str, Any]:
        """games[0] as plain readable data, in the words of the options if they bring their own."""
        state = self.state_under(options) if options is not None else self.state
        return {"game": self.id, "rules": self.rules_version, **state.describe(games[0])}

    def state_under(self, options: Options) -> Record:
        """The record with the names that the options give to what is in it."""
        return self.state.relabelled(options.labels())

    def restore(self, plain: object, options: Options) -> Records:
        """The record (an array of one) that `plain` describes; `StateError` if it is not a position under `options`."""
        fields = plain_data(plain, f"{self.id}: state", StateError)
        if not isinstance(fields, dict):
            raise StateError(f"{self.id}: a state is a dict, not {shown(fields)}")
        for key, own in (("game", self.id), ("rules", self.rules_version)):
            given = fields.pop(key, None)
            if type(given) is not type(own) or given != own:
                raise StateError(f"{self.id}: state[{key!r}] is {shown(given)}, not {own!r}")
        try:
            records = self.state_under(options).restore(fields)
        except StateError as error:
            raise StateError(f"{self.id}: {error}") from None
        loops.derive_one(as_games(records))
        return self._accept(records, options)

    def _accept(self, records: Records, options: Options) -> Records:
        """The records if they hold a position of the game under these options."""
        expected = self.blank(options, seed=0)
        for name in options.written():
            if not np.array_equal(records[0][name], expected[0][name]):
                raise StateError(
                    f"{self.id}: the state has {name}={records[0][name]}, this table plays {name}={expected[0][name]}"
                )
        games = as_games(records)
        self.raise_fault(games, StateError)
        return games

    def raise_fault(self, games: Records, error: type[ValueError]) -> None:
        """Raise `error` if games[0] is not a position of the game."""
        fault = loops.check_one(games)
        if fault:
            reason = self.faults(fault).name.lower().replace("_", " ")
            raise error(f"{self.id}: not a position of the game: {reason}")


def agents_of(players: int) -> list[str]:
    """The agents' names, by seat."""
    return list(SEATS[:players])


def checked_seed(seed: object) -> int:
    """A seed as an int; drawn from the system's entropy if None; `OptionError` if it is none."""
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    return _of_64_bits(seed, "seed", ", or None")


def checked_index(index: object, name: str) -> int:
    """The number of a game under a seed as an int; `OptionError`, by the argument's name, if it is none."""
    return _of_64_bits(index, name, "")


def _of_64_bits(given: object, name: str, besides: str) -> int:
    number = int(given) if is_integer(given) else None
    if number is None or not 0 <= number <= LARGEST_SEED:
        raise OptionError(
            f"{name}={shown(given if number is None else number)}: allowed: integers from 0 to 2**64 - 1{besides}"
        )
    return number
