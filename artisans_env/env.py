"""# Artisans

Two to four players visit a market of materials for twelve months, develop the materials level by level, and craft objects
of art with them; each plays an artisan with an ability of their own. Hidden hands, an open market with a rule of
neighbours, a row of objects that all compete for, and a token that ends the market and decides who comes first.

| | |
| --- | --- |
| import | `from artisans_env import artisans_v0` |
| agents | `player_0` … `player_3` (two to four) |
| actions | discrete, masked |
| observation | dict: `observation` (float32 vector in [0, 1]), `action_mask` (int8) |
| length | about 132, 147, 167 decisions in random play of 2, 3, 4 players |

`artisans_v0.env(**options)` is the PettingZoo AEC environment, `artisans_v0.raw_env(**options)` the same without the
order-enforcing wrapper, `artisans_v0.batch_env(num_games, seed, **options)` many games in one compiled call.

The printed object cards of the game are lost to us. The built-in edition of 24 objects is a **reconstruction**; whoever
owns the cards can write them into an edition file (`edition="cards.toml"`; `example_edition.toml` shows the format). One
compiled engine plays every edition.

## Rules in brief

The highest score after twelve rounds wins: every developed card counts its level, every object its points, and the artisan
that each player chooses at the start adds a bonus or an ability.

Each round has two phases. In phase A players take turns, and a turn is one of these:

- visit the market, a circle of five cards: with six cards in hand a card is exchanged, and the one put down must differ from
  both its neighbours; with fewer a card is taken;
- craft an object of the row whose materials are developed to its levels: from round 3, one a round, not after a visit in the
  same round; the developed cards stay;
- take the first-player token: then each of the others has one last action, and the market closes.

In phase B each player may develop one material: put hand cards of it at its next level, at level 1 any number, at a further
level (up to 4) no more than lie at the level before. After round 12 each player may craft one more object. A reserved object
(only the provident reserves) that was never crafted costs its points. Every clause, with its id, is in `RULES.md`.

The choice of an artisan, a reservation, what a night worker does after a craft and an opportunist's second visit are
decisions of their own: an agent may be asked several times in a row.

<!-- tables: cardtable spec -->

## Arguments

| option | default | meaning |
| --- | --- | --- |
| `num_players` | 2 | 2, 3 or 4 (ART-1.1) |
| `artisans` | 'draft' | `draft`, `random`, or one name per seat, all different (ART-2.3) |
| `edition` | 'reconstruction' | the built-in `reconstruction`, or the path of an edition file (ART-11) |
| `max_visits` | 12 | market visits a round, after which a player must take the token (ART-4.9) |

## Actions (102)

| ids | notation | meaning |
| --- | --- | --- |
| 0–8 | `choose gold_lover` … `choose provident` | choose an artisan (ART-2.3) |
| 9–12 | `reserve row 0` … `reserve row 3` | reserve the object at a place of the row (ART-8.9) |
| 13–16 | `craft row 0` … `craft row 3` | craft the object at a place of the row (ART-4.6, 6.1) |
| 17 | `craft reserved` | craft the own reserved object (ART-8.9) |
| 18–22 | `take slot 0` … `take slot 4` | take the card of a market slot into a hand of fewer than six (ART-4.3) |
| 23–57 | `exchange slot 0 for textile` … `exchange slot 4 for metal` | take the card of a market slot and put down a card of this material (ART-4.2) |
| 58 | `take token` | take the first-player token (ART-4.7) |
| 59–100 | `develop textile x1` … `develop metal x6` | put so many cards at the next level of a material (ART-5.1) |
| 101 | `pass` | do nothing, where that is allowed (ART-9.3) |

## Observation (445 numbers in [0, 1])

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–6 | `own_hand` | 7 | cards in the own hand / 6 |
| 7–34 | `known_hand` | 4 × 7 | cards that all know to be in a hand / 6 (ART-9.1) |
| 35–146 | `developed` | 4 × 7 × 4 | cards at each level / 6 |
| 147–153 | `used` | 7 | 1 if an own object requires the material (ART-8.3) |
| 154–189 | `artisan` | 4 × 9 | the seat's artisan; zeros before it is chosen |
| 190–233 | `seats` | 4 × 11 | where each seat stands; last actions are no visits here; scores below 0 are shown as 0 |
| 234–371 | `objects` | 6 × 23 | the row, the turned-up next object, the reserved one; zeros where none lies |
| 372–406 | `market` | 5 × 7 | the card in each slot; zeros for an empty one |
| 407–413 | `discard` | 7 | cards in the discard / cards that exist |
| 414–420 | `unseen` | 7 | cards in the pile or unknown in other hands / cards that exist |
| 421 | `pile_size` | 1 | cards in the pile / cards that exist |
| 422–429 | `deck_points` | 8 | objects of each value left in each deck / those it began with (ART-2.2) |
| 430–431 | `deck_size` | 2 | objects left in each deck / 10 |
| 432 | `round` | 1 | the round / 12 |
| 433–440 | `phase` | 8 | what is decided now; zeros when the game is over |
| 441–443 | `players` | 3 | how many play |
| 444 | `token_taken` | 1 | 0 while the token is in the centre |

## Hidden part of `state()` (1248 numbers)

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–1007 | `pile` | 144 × 7 | the material pile in order |
| 1008–1087 | `deck_1` | 10 × 8 | object deck 1 in order: points and required levels |
| 1088–1167 | `deck_2` | 10 × 8 | object deck 2 in order |
| 1168–1199 | `box` | 4 × 8 | objects in the box |
| 1200–1247 | `removed` | 6 × 8 | objects of deck 1 removed in round 7 |

## Infos (integers, 0 until the game is over)

| name | meaning |
| --- | --- |
| `score` | levels + objects + bonus - penalty (ART-6.2) |
| `levels` | points of developed cards |
| `objects` | points of crafted objects |
| `bonus` | points of the artisan |
| `penalty` | points of a reserved object that was never crafted |
| `developed_cards` | cards at all levels |
| `decisions` | decisions of all players |

## Views (`table.view(seat)`, `env.view(agent)`)

| field | meaning | who sees it |
| --- | --- | --- |
| `length` | decisions made so far | All see it |
| `num_players` | seats that play | All see it, and it stays as it is all game long: options and what comes from an edition |
| `seat` | seat to act | All see it |
| `max_visits` | visits after which the token must be taken (ART-4.9) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `artisan_mode` | how artisans are given out (ART-2.3) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `points` | points of each object (ART-1.2) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `required` | levels that each object requires | All see it, and it stays as it is all game long: options and what comes from an edition |
| `phase` | what the mover decides | All see it |
| `round_number` | number of the round | All see it |
| `first_player` | who took the token last (ART-3.3) | All see it |
| `token_taken` | the first player has the token; otherwise it lies in the centre (ART-3.3) | All see it |
| `artisan` | artisan of each seat | All see it |
| `visits` | market visits this round, last actions aside (ART-4.9) | All see it |
| `crafted` | the seat crafted this round (ART-4.6) | All see it |
| `hand` | cards in each hand | The own hand; of the others, the cards that all know of (the field `known`), and how many more there are |
| `known` | of those, how many all players know of (ART-9.1) | All see it |
| `developed` | cards at each level | All see it |
| `market` | card in each slot | All see it |
| `discard` | cards in the discard | All see it |
| `pile` | material pile, the top last | All see how many there are, nobody which |
| `row` | object at each place of the row | All see it |
| `reserved` | object that the provident has reserved (ART-8.9) | All see it |
| `maker` | who crafted each object | All see it |
| `deck_1` | object deck 1, the top (turned up while it is current) last | Objects of which all have seen the last: deck 1, whose top is turned up, and what was removed of it (ART-2.2, 3.1) |
| `deck_2` | object deck 2, the top (turned up while it is current) last | Deck 2: its top is turned up as soon as deck 1 is empty (ART-3.2) |
| `box` | objects that went back to the box unseen (ART-2.2) | All see how many there are, nobody which |
| `removed` | rest of deck 1, removed in round 7, the seen one last (ART-3.1) | Objects of which all have seen the last: deck 1, whose top is turned up, and what was removed of it (ART-2.2, 3.1) |

## Events (`table.events(seat)`, `env.events(agent)`)

| event | meaning | fields |
| --- | --- | --- |
| `start` | the cards have been dealt: what lies where is in the first view |  |
| `action` | a decision; what follows from it comes as events of its own | `seat`: who decided; `action`: the notation of the action, of a secret one `"draft card ?"` for the others |
| `now` | what is different since: fields of the view by name, with what they hold now | `(field)`: its value in the view |
| `end` | the game is over | `ending`: `terminated` by the rules, or `truncated`: cut off; `scores`: by seat; `returns`: by seat |
| `choose` | an artisan is chosen (ART-2.3) | `seat`: who decided; `artisan`: which |
| `reserve` | an object goes from the row to the reserve (ART-8.9) | `seat`: who decided; `object`: the object; `place`: of the row: `place 0` to `place 3` |
| `craft` | an object of the row is crafted and kept (ART-4.6, 6.1) | `seat`: who decided; `object`: the object; `place`: of the row: `place 0` to `place 3` |
| `craft_reserved` | the own reserved object is crafted and kept (ART-8.9) | `seat`: who decided; `object`: the object |
| `take` | a card goes from the market to the hand (ART-4.3) | `seat`: who decided; `card`: the material of the card; `slot`: of the market: `slot 0` to `slot 4` |
| `exchange` | a card of the market and a card of the hand change places (ART-4.2) | `seat`: who decided; `card`: the material of the card; `slot`: of the market: `slot 0` to `slot 4`; `put_down`: the material of the card from the hand |
| `token` | the token leaves the centre (ART-4.7, 3.3) | `seat`: who decided |
| `develop` | cards of one material go from the hand to its next level (ART-5.1) | `seat`: who decided; `card`: the material of the cards; `number`: of cards; `level`: `level 1` to `level 4` |
| `close` | after the last action the cards left in the market go to the discard, and phase B begins (ART-4.8, 3.4) | `cards`: the cards left, in the order of the materials |
| `round` | a round begins, and nobody has visited the market or crafted in it (ART-3.1) | `round`: its number |
| `remove` | what is left of deck 1 leaves the game in round 7, all but its top unseen (ART-3.1 a) | `number`: of objects, the top one included; `object`: the top one, which was turned up |
| `fill` | an empty place of the row is filled (ART-3.1 b, 3.2) | `object`: the object; `deck`: `deck 1` or `deck 2`; `place`: of the row: `place 0` to `place 3` |
| `turn_up` | the top of the current deck is turned up (ART-3.1 c, 3.2) | `object`: the object; `deck`: `deck 1` or `deck 2` |
| `shuffle` | a card is needed and the pile is empty: the whole discard becomes the new pile (ART-4.5) | `pile`: the new pile, the top last: hidden from all players |
| `reveal` | the top card of the pile goes to the market (ART-3.1 d, 4.4, 4.5) | `card`: the material of the card; `slot`: of the market: `slot 0` to `slot 4` |

## Decks for `reset(options={"deal": …})`

| deck | cards |
| --- | --- |
| `materials` | all material cards; one each to player_0, player_1, … six times, then five to the market (ART-2.1) |
| `deck_1` | ten objects: 4 of 3 points, 3 of 4, 2 of 5, 1 of 6 (ART-2.2) |
| `deck_2` | ten objects: 1 of 4 points, 2 of 5, 3 of 6, 4 of 7 (ART-2.2) |
| `artisans` | one artisan per seat, with `artisans='random'` only (ART-2.3) |

<!-- end of tables -->

"Own" is the seat that observes, "1 clockwise" the one to its left, and so on; seats that do not play are zeros. An object's
numbers depend on what it requires, not on its id: what is learnt carries over to other editions. `state()` is the
observation of each agent in turn, and the hidden part.

## Rewards

0 until the game is over; then, with n players of whom k share the win, (n/k - 1)/(n - 1) for a winner and -1/(n - 1) for the
others.

When the game is over, `summary(agent)` gives the numbers of the agent's `infos` and in words the objects `crafted`, the
`artisan` and `ended_by` (the clause, always ART-6.1).

## Version history

- v0, rules 1: first version.
"""

from pathlib import Path
from typing import Any, Unpack

from pettingzoo import AECEnv, ParallelEnv

from artisans_env.actions import ACTIONS
from artisans_env.check import check, check_fixed, derive
from artisans_env.choices import explain
from artisans_env.clauses import Clause, witness
from artisans_env.components import ARTISANS
from artisans_env.constants import Fault
from artisans_env.deals import place_artisans, place_first_deck, place_second_deck
from artisans_env.events import EVENTS, SIGHT
from artisans_env.information import forget_hidden, redeal_hidden
from artisans_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from artisans_env.options import ArtisansOptions
from artisans_env.picture import picture
from artisans_env.render import LEGEND, text
from artisans_env.rules import apply, legal, set_up, shuffle_decks
from artisans_env.scoring import developed_cards, is_over, penalty, returns, score_of, scores
from artisans_env.state import STATE
from artisans_env.types import OptionArguments, State
from cardtable.engine.constants import NOBODY
from cardtable.engine.kernels import Kernels
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Deck, Game
from cardtable.game.legality import Illegal

EXAMPLE_EDITION = Path(__file__).with_name("example_edition.toml")
"""An edition file to look at, and to play with objects that are easy to craft."""


INFOS = {
    "score": "levels + objects + bonus - penalty (ART-6.2)",
    "levels": "points of developed cards",
    "objects": "points of crafted objects",
    "bonus": "points of the artisan",
    "penalty": "points of a reserved object that was never crafted",
    "developed_cards": "cards at all levels",
    "decisions": "decisions of all players",
}
"""The entries of `summary` that `infos` hold."""


def summary(game: State, options: ArtisansOptions) -> list[dict[str, Any]]:
    """How the game went for each seat: its score and its parts, objects, artisan, how the game ended."""
    names = options.cards.names()
    return [
        {
            "score": int(score_of(game, seat)),
            "levels": int(game.level_points[seat]),
            "objects": int(game.object_points[seat]),
            "bonus": int(game.bonus[seat]),
            "penalty": int(penalty(game, seat)),
            "crafted": [names[each] for each, maker in enumerate(game.maker) if maker == seat],
            "developed_cards": int(developed_cards(game, seat)),
            "artisan": ARTISANS[game.artisan[seat]] if game.artisan[seat] != NOBODY else None,
            "ended_by": "ART-6.1",
            "decisions": int(game.length),
        }
        for seat in range(game.num_players)
    ]


GAME = Game(
    id="artisans_v0",
    title="Artisans",
    rules_version=1,
    options=ArtisansOptions,
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
    decks={
        "pile": Deck(
            "materials", "all material cards; one each to player_0, player_1, … six times, then five to the market (ART-2.1)"
        ),
        "deck_1": Deck("deck_1", "ten objects: 4 of 3 points, 3 of 4, 2 of 5, 1 of 6 (ART-2.2)", place_first_deck),
        "deck_2": Deck("deck_2", "ten objects: 1 of 4 points, 2 of 5, 3 of 6, 4 of 7 (ART-2.2)", place_second_deck),
        "artisan": Deck("artisans", "one artisan per seat, with `artisans='random'` only (ART-2.3)", place_artisans),
    },
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
        {"num_players": 3},
        {"num_players": 4},
        {"num_players": 3, "artisans": "random"},
        {"artisans": ["night_worker", "opportunist"]},
        {"num_players": 3, "artisans": ["gold_lover", "sculptor", "versatile"]},
        {"num_players": 4, "artisans": ["provident", "perfectionist", "specialist", "compulsive_collector"]},
        {"num_players": 3, "max_visits": 1},
        {"num_players": 4, "edition": EXAMPLE_EDITION},
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
