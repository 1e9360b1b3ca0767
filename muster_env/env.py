"""# Muster

Two players raise banners under five castles; whoever holds more castles when the draw pile runs out wins. Hidden hands,
an open table, a shared row of castle spaces to lay cards on and draw from, and Rainbow cards that change sides.

| | |
| --- | --- |
| import | `from muster_env import muster_v0` |
| agents | `player_0`, `player_1` |
| actions | discrete, masked |
| observation | dict: `observation` (float32 vector in [0, 1]), `action_mask` (int8) |
| length | about 134 decisions in random play |

`muster_v0.env(**options)` is the PettingZoo AEC environment, `muster_v0.raw_env(**options)` the same without the
order-enforcing wrapper, `muster_v0.batch_env(num_games, seed, **options)` many games in one compiled call.

## Rules in brief

Whoever holds more of the five castles when the draw pile is used up wins. Each side has a column of cards under each castle;
the castle goes to the stronger column, on a tie to the one with more banner cards.

A turn is one action, then a refill to five cards. Each card is drawn from the pile, unseen, or from the top of a castle space,
a face-up pile at each castle that both sides share. The actions:

- play a banner card onto the own column of its castle: as strong as the card below or one stronger; an empty column takes any;
- play a Wizard/Bridge card as a Wizard, of strength 6, onto any own column; no banner card can be played onto a Wizard;
- move a Wizard to another own column; then the top card of the pile is turned up onto a castle space, and nothing is drawn;
- lay a card on a castle space, a banner card on that of its banner; it cannot be drawn back in the same turn;
- build a Bridge: a Wizard/Bridge card, of strength 1, stands for the strength that is missing, and a banner card goes on it;
- swap a banner card for a Wizard or Bridge in a column of either side, where it fits; the column stays with its owner.

While a Rainbow Castle is the top card of a castle space, the columns there take any banner; cards under it are out of reach.
The game ends at once with the last card of the pile. Every clause, with its id, is in `RULES.md`.

Draws, and the place of a turned-up Rainbow card, are decisions of their own: several decisions of one agent in a row.
A table as text shows a column from its bottom, W a Wizard, B a Bridge, and a castle space from its top.

<!-- tables: cardtable spec -->

## Arguments

| option | default | meaning |
| --- | --- | --- |
| `num_players` | 2 | always 2 (MUS-1.1) |
| `streamlined` | False | the beginners' game: strengths may jump, Bridges stay (MUS-7.1) |
| `power_of_unity` | False | only strength 1 opens a column (MUS-7.2) |
| `over_the_rainbow` | False | several Bridges in a row in one action (MUS-7.3) |
| `max_turns` | 300 | turns of both players after which the game is cut off (MUS-6.5) |

## Actions (546)

| ids | notation | meaning |
| --- | --- | --- |
| 0–124 | `play water 1 at water` … `play leaf 5 at leaf` | play a banner card onto the own column (MUS-4.1) |
| 125–129 | `wizard at water` … `wizard at leaf` | play a Wizard onto the own column (MUS-4.2) |
| 130–149 | `move wizard from water to feather` … `move wizard from leaf to sun` | move the Wizard on top of an own column to another (MUS-4.3) |
| 150–174 | `lay water 1` … `lay leaf 5` | lay a banner card on its castle space (MUS-4.4) |
| 175–179 | `lay wizard/bridge on water` … `lay wizard/bridge on leaf` | lay a Wizard/Bridge card on a castle space (MUS-4.4) |
| 180–184 | `lay rainbow castle on water` … `lay rainbow castle on leaf` | lay a Rainbow Castle on a castle space (MUS-4.4) |
| 185–284 | `bridge to water 2 at water` … `bridge to leaf 5 at leaf` | build a Bridge and a banner card on it (MUS-4.5) |
| 285–534 | `swap water 1 into own water` … `swap leaf 5 into other leaf` | swap for a Wizard or Bridge (MUS-4.6) |
| 535 | `draw from pile` | draw the top card of the pile, unseen (MUS-5.1) |
| 536–540 | `draw from water` … `draw from leaf` | draw the top card of a castle space (MUS-5.1) |
| 541–545 | `place on water` … `place on leaf` | place the turned-up Rainbow card (MUS-4.3b) |

## Observation (362 numbers in [0, 1])

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–26 | `own_hand` | 27 | copies in the own hand / copies that exist |
| 27–52 | `known_hand` | 26 | copies known to be in the other hand / copies that exist (MUS-8.2) |
| 53–79 | `unseen` | 27 | copies in the pile or unknown in the other hand / copies that exist |
| 80–209 | `columns` | 2 × 5 × 13 | what lies in each column: strength that a banner must fit, Bridges, totals |
| 210–224 | `holder` | 5 × 3 | who would get the castle now (MUS-6.2, 6.3) |
| 225–229 | `lead` | 5 | own total less the other's, -32 … 32 as 0 … 1; level is 0.5 |
| 230–309 | `castle_top` | 2 × 5 × 8 | cards on the castle spaces |
| 310–314 | `castle_size` | 5 | cards on the castle space / 8 |
| 315–344 | `reachable` | 5 × 6 | copies above the highest Rainbow Castle / copies that exist |
| 345–349 | `laid` | 5 | the castle space that the mover may not draw from (MUS-4.4a) |
| 350–352 | `phase` | 3 | what is decided now |
| 353 | `to_move` | 1 | 1 if this seat decides |
| 354 | `draws_due` | 1 | cards that the mover still has to draw / 5 |
| 355–356 | `turned_up` | 2 | the Rainbow card that waits to be placed (MUS-4.3b) |
| 357 | `pile_size` | 1 | cards in the pile / 37 |
| 358 | `turns` | 1 | turns completed / max_turns (MUS-6.5) |
| 359–361 | `options` | 3 | the rules in force (MUS-7) |

## Hidden part of `state()` (999 numbers)

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–998 | `pile` | 37 × 27 | the pile in order |

## Infos (integers, 0 until the game is over)

| name | meaning |
| --- | --- |
| `score` | castles held |
| `turns` | turns of both players |
| `decisions` | decisions of both players |

## Views (`table.view(seat)`, `env.view(agent)`)

| field | meaning | who sees it |
| --- | --- | --- |
| `length` | decisions made so far | All see it |
| `num_players` | seats that play | All see it, and it stays as it is all game long: options and what comes from an edition |
| `seat` | seat to act | All see it |
| `streamlined` | option (MUS-7.1) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `power_of_unity` | option (MUS-7.2) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `over_the_rainbow` | option (MUS-7.3) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `max_turns` | turns after which the game is cut off (MUS-6.5) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `turn` | turns completed by both players together | All see it |
| `draws_due` | cards that the mover still has to draw in this refill (MUS-5.1) | All see it |
| `laid` | castle space that the mover laid a card on this turn (MUS-4.4a) | All see it |
| `turned_up` | Rainbow card that waits to be placed (MUS-4.3b) | All see it |
| `hand` | cards in each hand, by kind | The own hand; of the others, the cards that all know of (the field `known`), and how many more there are |
| `known` | of those, how many all players know of (MUS-8.2) | All see it |
| `pile` | draw pile, the top last | All see how many there are, nobody which |
| `castle` | castle spaces (MUS-2.2) | All see it |
| `column` | columns on each side, under the Wizards (MUS-2.2) | All see it |
| `wizards` | Wizards on top of each column | All see it |

## Events (`table.events(seat)`, `env.events(agent)`)

| event | meaning | fields |
| --- | --- | --- |
| `start` | the cards have been dealt: what lies where is in the first view |  |
| `action` | a decision; what follows from it comes as events of its own | `seat`: who decided; `action`: the notation of the action, of a secret one `"draft card ?"` for the others |
| `now` | what is different since: fields of the view by name, with what they hold now | `(field)`: its value in the view |
| `end` | the game is over | `ending`: `terminated` by the rules, or `truncated`: cut off; `scores`: by seat; `returns`: by seat |
| `play` | a banner card goes from the hand onto the own column (MUS-4.1) | `seat`: whose turn it is; `card`: the card; `castle`: at which castle |
| `wizard` | a Wizard/Bridge card goes from the hand onto the own column (MUS-4.2) | `seat`: whose turn it is; `castle`: at which castle |
| `move` | a Wizard goes to another own column (MUS-4.3) | `seat`: whose turn it is; `from`: castle it leaves; `to`: castle it goes to |
| `turn_up` | the top card of the pile is turned up (MUS-4.3a) | `card`: the card |
| `place` | the card turned up goes to a space (MUS-4.3a, 4.3b) | `card`: the card; `castle`: at which castle |
| `lay` | a card goes from the hand to a castle space (MUS-4.4) | `seat`: whose turn it is; `card`: the card; `castle`: at which castle |
| `bridge` | Bridges and a banner card go from the hand onto the own column (MUS-4.5, 7.3) | `seat`: whose turn it is; `bridges`: how many Bridges; `card`: the card; `castle`: at which castle |
| `swap` | a banner card takes the place of a Wizard or Bridge, which goes to the hand (MUS-4.6) | `seat`: whose turn it is; `card`: the card; `owner`: whose column; `castle`: at which castle; `rainbow`: `wizard` or `bridge`; `place`: of the card in the column, from the bottom, the lowest is 0 |
| `draw` | a card is drawn: from the pile unseen by the other (MUS-5.1) | `seat`: whose turn it is; `card`: the card; `from`: `pile` or the castle |

## Decks for `reset(options={"deal": …})`

| deck | cards |
| --- | --- |
| `deck` | all 47 cards; 1-5 go to player_0, 6-10 to player_1 (MUS-2.1) |

<!-- end of tables -->

Everything is seen from the agent: "own" is its side, "other" the opponent's. `state()` is the observation of
`player_0`, that of `player_1`, and the hidden part.

## Rewards

0 until the game is over; then 1 for the winner and -1 for the loser, or 0 for both in a draw. A game that reaches
`max_turns` is scored as it stands and reported as truncated.

When the game is over, `summary(agent)` gives the numbers of the agent's `infos` and in words its `castles`, `decided_by`
(per castle: strength, banner cards or nobody) and `ended_by` (the clause: MUS-6.1 or MUS-6.5).

## Version history

- v0, rules 1: first version.
"""

from typing import Any, Unpack

from pettingzoo import AECEnv, ParallelEnv

from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.engine.kernels import Kernels
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Deck, Game
from cardtable.game.legality import Illegal
from muster_env.actions import ACTIONS
from muster_env.check import check, check_fixed, derive
from muster_env.choices import explain
from muster_env.clauses import Clause, witness
from muster_env.components import BANNERS
from muster_env.constants import CASTLES, PLAYERS, STRENGTH_WORTH, Fault
from muster_env.events import EVENTS, SIGHT
from muster_env.information import forget_hidden, redeal_hidden
from muster_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from muster_env.options import MusterOptions
from muster_env.picture import picture
from muster_env.render import LEGEND, text
from muster_env.rules import apply, legal, set_up, shuffle_decks
from muster_env.scoring import holder, is_over, returns, scores
from muster_env.state import STATE
from muster_env.types import OptionArguments, State


def decided_by(game: State, castle: int) -> str:
    """What gave a castle to its holder: strength (MUS-6.2), banner cards or nothing (MUS-6.3)."""
    if game.standing[0, castle] // STRENGTH_WORTH != game.standing[1, castle] // STRENGTH_WORTH:
        return "strength"
    return "nobody" if holder(game, castle) == NOBODY else "banner cards"


INFOS = {
    "score": "castles held",
    "turns": "turns of both players",
    "decisions": "decisions of both players",
}
"""The entries of `summary` that `infos` hold."""


def summary(game: State, _: MusterOptions) -> list[dict[str, Any]]:
    """How the game went for each seat: its score and castles, how they were decided, how the game ended."""
    holders = [int(holder(game, castle)) for castle in range(CASTLES)]
    common = {
        "ended_by": "MUS-6.1" if is_over(game) == Ending.TERMINATED else "MUS-6.5",
        "decided_by": {name: decided_by(game, castle) for castle, name in enumerate(BANNERS)},
        "turns": int(game.turn),
        "decisions": int(game.length),
    }
    held = [[name for name, side in zip(BANNERS, holders, strict=True) if side == seat] for seat in range(PLAYERS)]
    return [{"score": len(castles), "castles": castles, **common} for castles in held]


GAME = Game(
    id="muster_v0",
    title="Muster",
    rules_version=1,
    options=MusterOptions,
    state=STATE,
    actions=ACTIONS,
    layout=LAYOUT,
    hidden=HIDDEN,
    clauses=Clause,
    faults=Fault,
    kernels=Kernels[State](
        shuffle_decks=shuffle_decks,
        set_up=set_up,
        legal=legal,
        apply=apply,
        is_over=is_over,
        scores=scores,
        returns=returns,
        observe=observe,
        observe_hidden=observe_hidden,
        redeal_hidden=redeal_hidden,
        forget_hidden=forget_hidden,
        derive=derive,
        check_fixed=check_fixed,
        check=check,
        witness=witness,
    ),
    decks={"pile": Deck("deck", "all 47 cards; 1-5 go to player_0, 6-10 to player_1 (MUS-2.1)")},
    infos=INFOS,
    summary=summary,
    sight=SIGHT,
    events=EVENTS,
    text=text,
    legend=LEGEND,
    explain=explain,
    picture=picture,
    variants=(
        {},
        {"streamlined": True},
        {"power_of_unity": True},
        {"over_the_rainbow": True},
        {"streamlined": True, "power_of_unity": True},
        {"streamlined": True, "over_the_rainbow": True},
        {"power_of_unity": True, "over_the_rainbow": True},
        {"streamlined": True, "power_of_unity": True, "over_the_rainbow": True},
        {"max_turns": 20},
    ),
)


def raw_env(*, render_mode: str | None = None, **options: Unpack[OptionArguments]) -> aec.TableEnv:
    """The environment without PettingZoo's wrapper: faster, and safe on its own."""
    return aec.TableEnv(GAME, render_mode=render_mode, **options)


def env(
    *,
    render_mode: str | None = None,
    illegal: Illegal = "raise",
    mask: wrappers.MaskPlace = "observation",
    **options: Unpack[OptionArguments],
) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper; `illegal="lose"`, `mask="info"` are explained there."""
    return wrappers.env(GAME, render_mode=render_mode, illegal=illegal, mask=mask, **options)


def parallel_env(
    *,
    render_mode: str | None = None,
    illegal: Illegal = "raise",
    mask: wrappers.MaskPlace = "observation",
    **options: Unpack[OptionArguments],
) -> ParallelEnv:
    """The environment as PettingZoo's parallel one: of the actions given, that of the agent whose turn it is is played."""
    return wrappers.parallel_env(GAME, render_mode=render_mode, illegal=illegal, mask=mask, **options)


def batch_env(
    num_games: int,
    seed: int | None = None,
    *,
    first: int = 0,
    observe: bool = True,
    **options: Unpack[OptionArguments],
) -> BatchEnv:
    """Many games stepped in one compiled call."""
    return BatchEnv(GAME, num_games, seed, first=first, observe=observe, **options)
