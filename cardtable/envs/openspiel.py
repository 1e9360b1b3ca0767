"""OpenSpiel: `import cardtable.envs.openspiel; pyspiel.load_game("cardtable_muster")`.

Importing this module registers every installed game. Chance moves first and only then: what it draws is the number of the deal.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.envs import not_installed
from cardtable.envs.openspiel_position import Position, digest
from cardtable.errors import AgentError, IllegalAction, OptionError
from cardtable.game.game import Game
from cardtable.game.look import Look
from cardtable.game.options import Options
from cardtable.game.record import LARGEST_SEED, SEATS
from cardtable.game.registry import find, game_ids
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import make_views, prepare_views
from cardtable.story import Sights
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.table import dealt
from cardtable.types import Observation, Records

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise not_installed("openspiel", error) from None

PREFIX = "cardtable_"
CHANCE, TERMINAL = int(pyspiel.PlayerId.CHANCE), int(pyspiel.PlayerId.TERMINAL)
BETWEEN = "/"
"""Between the entries of an option that is a list: `artisans=night_worker/opportunist`."""

CHANCE_NODES = 4
CHANCE_OUTCOMES = 256
"""Of each chance node: together they draw one of 2**32 deals."""
MOST_DEALS = 1 << 16
"""That a user may have drawn in one chance node: OpenSpiel lists them whenever it comes to that node."""
LONGEST_GAME = 1 << 30
"""Decisions: no record counts more of them."""
LARGEST_RECALL = 1 << 16

OWN_PARAMETERS = {"seed": 0, "deals": 0, "recall": 16}
"""Besides the options of the game: the seed of all deals; how many deals there are (0: 2**32); how many of the last moves the
tensor of the information state holds."""


# ---- What OpenSpiel sees


class CardState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A state: chance draws the number of the deal first, then the players decide.

    What Python calls most often is answered here, not by way of C++; C++ calls the same methods, or those with an underscore.
    """

    def __init__(self, game: "CardGame") -> None:
        super().__init__(game)
        self._position: Position | None = None
        self._drawn = 0
        self._draws = 0

    # ---- Playing

    def current_player(self) -> int:
        """The player to act, or OpenSpiel's number for chance or for nobody."""
        position = self._position
        return CHANCE if position is None else TERMINAL if position.over else position.seat

    def is_chance_node(self) -> bool:
        """Whether the deal has not been drawn yet."""
        return self._position is None

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self._position is not None and self._position.over

    def legal_actions(self, player: int | None = None) -> list[int]:
        """What the player may do now, in increasing order: nothing if another one is to act. Of chance: its outcomes."""
        position = self._position
        if position is None:
            return list(range(self._rules.outcomes))
        if player is None or player == position.seat or position.over:
            return position.legal()
        self._checked(player)
        return []

    def _legal_actions(self, player: int) -> list[int]:
        return self.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Equally likely numbers, which make up the number of the deal."""
        return self._rules.chances

    def _apply_action(self, action: int) -> None:
        if self._position is None:
            self._draw(action)
        else:
            self._position.play(int(action))

    def _draw(self, outcome: int) -> None:
        rules = self._rules
        if not 0 <= outcome < rules.outcomes:
            raise IllegalAction(f"{rules.rules.id}: chance outcome {outcome}: allowed: 0 to {rules.outcomes - 1}")
        self._drawn, self._draws = self._drawn * rules.outcomes + int(outcome), self._draws + 1
        if self._draws == rules.chance_nodes:
            self._position = Position(rules.rules, rules.options, rules.deal(self._drawn))

    def returns(self) -> list[float]:
        """The return of each player; 0 while the game is in progress."""
        return [0.0] * self._rules.options.num_players if self._position is None else self._position.returns()

    # ---- Looking

    def information_state_string(self, player: int | None = None) -> str:
        """A key for all that a player has seen: its moves as it knows them, and a digest of what it saw after each of them."""
        seat, position = self._checked(player), self._position
        if position is None:
            return f"{SEATS[seat]}: not dealt"
        names, seen = position.game.actions.names, [position.move_seen(each, seat) for each in range(len(position.moves))]
        moves = "; ".join(f"{mover} {'?' if action == NOBODY else names[action]}" for mover, action in seen)
        return f"{SEATS[seat]} saw {position.memory(seat).hex()} in {len(seen)} moves: {moves}"

    def observation_string(self, player: int | None = None) -> str:
        """What a player sees now, as JSON: the readable state, with "?" for what it cannot know."""
        seat, position = self._checked(player), self._position
        return "{}" if position is None else json.dumps(self._rules.sights.view(position.games, seat), ensure_ascii=False)

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """What a player sees now, as the vector of our own environments."""
        return self._tensor(player, self._rules.rules.layout.size)

    def information_state_tensor(self, player: int | None = None) -> list[float]:
        """The observation, and the last moves as the player knows them (`recall`)."""
        return self._tensor(player, self._rules.recall_size)

    def _tensor(self, player: int | None, size: int) -> list[float]:
        out: Observation = np.zeros(size, np.float32)
        self.write_tensor(self._checked(player), out)
        numbers: list[float] = out.tolist()
        return numbers

    def write_tensor(self, seat: int, out: Observation) -> None:
        """Write what a seat sees now and, where there is room, the last moves as it knows them, the newest first."""
        out[:] = 0
        position, rules = self._position, self._rules
        if position is None:
            return
        observed = rules.rules.layout.size
        position.observe(seat, out[:observed])
        rows = out[observed:].reshape(-1, rules.move_size)
        players, last = position.options.num_players, len(position.moves) - 1
        for row, number in zip(rows, range(last, -1, -1), strict=False):
            mover, action = position.move_seen(number, seat)
            row[(mover - seat) % players] = 1
            row[players:] = rules.codes[action]

    def _checked(self, player: int | None) -> int:
        """The player, by default the one to act, if there is one of that number."""
        seat = self.current_player() if player is None else player
        players = self._rules.options.num_players
        if not 0 <= seat < players:
            raise OptionError(f"{self._rules.rules.id}: player={shown(seat)}: allowed: 0 to {players - 1}")
        return seat

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player == CHANCE else self._rules.rules.actions.name_of(action)

    def __str__(self) -> str:
        """The table as the player to act sees it, and a digest of all that is there."""
        position, rules = self._position, self._rules
        if position is None:
            return f"{rules.rules.title}: not dealt, drawn so far: {self._drawn} in {self._draws}"
        seat = int(position.games["seat"][0])
        text = rules.rules.text(rules.sights.view(position.games, seat), rules.options, Look(seat))
        return f"{text}\nrecord {digest(position.games.tobytes()).hex()}"

    @property
    def _rules(self) -> "CardGame":
        game: CardGame = self.get_game()
        return game

    @property
    def position(self) -> Position:
        """The game in progress; `OptionError` while it has not been dealt."""
        if self._position is None:
            raise OptionError(f"{self._rules.rules.id}: the state is a chance node: the game has not been dealt")
        return self._position

    # ---- Other worlds

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "CardState":
        """A state in which all that the player cannot know is drawn anew, consistent with what it has seen.

        `history()` stays as it is: OpenSpiel does not let a game written in Python change it.
        """
        seat = self._checked(player)
        if self._position is not None:
            self._position.memory(seat)  # once for all copies
        copied = self.clone()
        if copied._position is not None:
            copied._position.redraw(seat, int(sampler() * 2**32) << 32 | int(sampler() * 2**32))
        return copied  # type: ignore[no-any-return]  # pyspiel has no types

    # ---- Copies and pickles

    def __copy__(self) -> "CardState":
        return self.clone()  # type: ignore[no-any-return]  # pyspiel has no types

    def __deepcopy__(self, memo: dict[int, Any]) -> "CardState":
        return self.clone()  # type: ignore[no-any-return]  # pyspiel has no types

    def __reduce__(self) -> tuple[Any, ...]:
        return _load_state, (str(self._rules), self.serialize())


class Observer:
    """What OpenSpiel asks for tensors and strings: `tensor`, and `dict` with its pieces by name."""

    def __init__(self, game: "CardGame", kind: pyspiel.IIGObservationType, params: Mapping[str, Any] | None) -> None:
        if params or not kind.public_info or kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise OptionError(f"{game.rules.id}: observers show what one player sees, public and private, without parameters")
        self._recalls = bool(kind.perfect_recall)
        self.tensor: Observation = np.zeros(game.recall_size if self._recalls else game.rules.layout.size, np.float32)
        layout = game.rules.layout
        self.dict = {each.name: self.tensor[layout[each.name]].reshape(each.shape) for each in layout.pieces}
        if self._recalls:
            self.dict["moves"] = self.tensor[layout.size :].reshape(-1, game.move_size)

    def set_from(self, state: CardState, player: int) -> None:
        """Write what a player sees into `tensor`."""
        state.write_tensor(player, self.tensor)

    def string_from(self, state: CardState, player: int) -> str:
        """What a player sees as a text."""
        return state.information_state_string(player) if self._recalls else state.observation_string(player)


class CardGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """One of our games with its options, as OpenSpiel loads it; a subclass for each has its `rules`."""

    rules: Game

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        rules, params = self.rules, params or {}
        own = {name: _checked_parameter(rules, name, params.get(name, OWN_PARAMETERS[name])) for name in OWN_PARAMETERS}
        self.options = options = rules.parse_options(_options_of(rules, params))
        self.seed, deals = own["seed"], own["deals"]
        self.outcomes, self.chance_nodes = (deals, 1) if deals else (CHANCE_OUTCOMES, CHANCE_NODES)
        self.chances = [(each, 1 / self.outcomes) for each in range(self.outcomes)]
        self.sights = Sights(rules, options)
        self.codes = _codes(rules)
        self.move_size = options.num_players + self.codes.shape[1]
        self.recall_size = rules.layout.size + own["recall"] * self.move_size
        prepare_views(rules)
        info = pyspiel.GameInfo(
            num_distinct_actions=rules.actions.size,
            max_chance_outcomes=self.outcomes,
            num_players=options.num_players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0 if options.num_players > 1 else None,
            max_game_length=LONGEST_GAME,
        )
        defaults = _parameters(rules)
        given = {name: value for name, value in params.items() if name in defaults and value != defaults[name]}
        super().__init__(_type_of(rules, options), info, given)

    def __reduce__(self) -> tuple[Any, ...]:
        return _load, (str(self),)

    def new_initial_state(self) -> CardState:
        """A state before the deal."""
        return CardState(self)

    def max_chance_nodes_in_history(self) -> int:
        """How many draws of chance a game begins with."""
        return self.chance_nodes

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> Observer:
        """What writes tensors and strings."""
        return Observer(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)

    def deal(self, number: int) -> Records:
        """The record of a deal, at its first decision."""
        return dealt(self.rules, self.options, {"seed": self.seed, "index": number})[0]


def _load(name: str) -> CardGame:
    """A game by its name and parameters; whoever unpickles one need not have imported this module."""
    game: CardGame = pyspiel.load_game(name)
    return game


def _load_state(name: str, data: str) -> CardState:
    state: CardState = _load(name).deserialize_state(data)
    return state


# ---- Parameters


def _parameters(game: Game) -> dict[str, Any]:
    """The parameters of a game with their defaults: its options, `num_players` as OpenSpiel calls it, and our own."""
    options = {("players" if name == "num_players" else name): default for name, default, _ in game.options.table()}
    return {**options, **OWN_PARAMETERS}


def _options_of(game: Game, params: Mapping[str, Any]) -> dict[str, Any]:
    """The options that parameters stand for."""
    given = {name: params[name] for name in _parameters(game) if name in params and name not in OWN_PARAMETERS}
    options = {("num_players" if name == "players" else name): value for name, value in given.items()}
    hints = get_type_hints(game.options)
    return {name: _entries(value) if _may_be_list(hints[name]) else value for name, value in options.items()}


def _may_be_list(hint: Any) -> bool:  # noqa: ANN401  # a type
    return any(get_origin(each) is Sequence for each in get_args(hint))


def _entries(value: object) -> object:
    """`8/13/14/16` as a list; other values as they are."""
    if not isinstance(value, str) or BETWEEN not in value:
        return value
    return [int(each) if each.isdecimal() else each for each in value.split(BETWEEN)]


def _checked_parameter(game: Game, name: str, value: object) -> int:
    most = {"deals": MOST_DEALS, "recall": LARGEST_RECALL, "seed": LARGEST_SEED}[name]
    if not is_integer(value) or not 0 <= int(value) <= most:
        raise OptionError(f"{game.id}: {name}={shown(value)}: allowed: integers from 0 to {most}")
    return int(value)


def _codes(game: Game) -> Observation:
    """(A + 1, k): a row of 0 and 1 for each action, its number plus one in binary; the last row, all 0, for a secret one."""
    numbers = np.append(np.arange(1, game.actions.size + 1), 0)
    bits = np.arange(game.actions.size.bit_length())
    codes: Observation = (numbers[:, None] >> bits & 1).astype(np.float32)
    return codes


def _type_of(game: Game, options: Options | None = None) -> pyspiel.GameType:
    """What OpenSpiel knows of a game before it is loaded or, with options, afterwards."""
    alone = options is not None and options.num_players == 1
    utility = pyspiel.GameType.Utility
    players = game.player_counts
    return pyspiel.GameType(
        short_name=PREFIX + game.id.rpartition("_v")[0],
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.GENERAL_SUM if alone or (options is None and players[0] == 1) else utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=players[-1],
        min_num_players=players[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(game),
    )


# ---- Our agents as bots


class AgentBot(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no types
    """One of our agents as a bot of OpenSpiel. Of a state it sees what its player may know."""

    def __init__(self, agent: Agent, player: int, seed: int | None) -> None:
        super().__init__()
        self._agent, self._player = agent, player
        self._secret = keys.secret_of(keys.new_salt() if seed is None else keys.open_salt(f"openspiel {seed}"))

    def player_id(self) -> int:
        """The player whom the bot plays."""
        return self._player

    def restart_at(self, state: CardState) -> None:
        """Nothing: what agents remember, they find by what they see."""

    def step(self, state: CardState) -> int:
        """The action of the agent."""
        position, agent = state.position, self._agent
        if position.over or position.seat != self._player:
            raise AgentError(f"{type(agent).__name__} plays player {self._player}, whose turn it is not")
        observation: Observation = np.zeros((1, agent.game.layout.size), np.float32)
        position.observe(self._player, observation[0])
        games, mask = agent.game.copy(position.games), position.mask[None].copy()
        views = make_views(agent.game, agent.options, games, observation, mask, self._secret, records=agent.wants_records)
        return int(agent.act(views)[0])


def bot(name: str, game: CardGame, player: int, seed: int | None = None) -> AgentBot:
    """The agent of a name (`heuristic`, `search:200`) as a bot that plays one player of a loaded game."""
    if not isinstance(game, CardGame):
        raise OptionError(f"game={shown(game)}: allowed: games of cardtable, such as pyspiel.load_game('cardtable_muster')")
    if not 0 <= player < game.options.num_players:
        raise OptionError(f"{game.rules.id}: player={shown(player)}: allowed: 0 to {game.options.num_players - 1}")
    agent = make_agent(name, game.rules, game.options)
    if agent.wants_stories:
        raise AgentError(f"agent {name!r} wants to be told what happened: it cannot play in OpenSpiel")
    agent.prepare()
    return AgentBot(agent, player, seed)


# ---- Registering


def _register(game: Game) -> None:
    """A class for each game: OpenSpiel lets go of what makes a game when Python is gone, which a function would not survive."""
    pyspiel.register_game(_type_of(game), type(f"{game.title}Game", (CardGame,), {"rules": game}))


for _each in game_ids():
    _register(find(_each))
