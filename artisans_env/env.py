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

Players choose their artisans. Each of twelve rounds has two phases. In phase A players take turns: visit the market (with
six cards in hand an exchange, where the card put down must differ from its neighbours in the circle; otherwise a card is
taken), craft an object whose materials are developed to its levels (from round 3, once a round, not after a visit), or take
the first-player token; then the others have one last action. In phase B each player may put cards of one material at its
next level, no more than lie at the level before. After round 12 each crafts one more object. Developed cards count their
level, objects their points, artisans their bonus; a reserved object that was never crafted costs its points. Every
clause, with its id, is in `RULES.md`.

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

from pettingzoo import AECEnv

from artisans_env.actions import ACTIONS
from artisans_env.check import check, check_fixed, derive
from artisans_env.clauses import Clause, witness
from artisans_env.components import ARTISANS
from artisans_env.constants import Fault
from artisans_env.deals import place_artisans, place_first_deck, place_second_deck
from artisans_env.information import forget_hidden, redeal_hidden
from artisans_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from artisans_env.options import ArtisansOptions
from artisans_env.render import text
from artisans_env.rules import apply, legal, set_up, shuffle_decks
from artisans_env.scoring import developed_cards, is_over, penalty, returns, score_of, scores
from artisans_env.state import STATE
from artisans_env.types import OptionArguments, State
from cardtable.engine.constants import NOBODY
from cardtable.engine.kernels import Kernels
from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Deck, Game

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
    text=text,
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


def env(*, render_mode: str | None = None, **options: Unpack[OptionArguments]) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper."""
    return aec.env(GAME, render_mode=render_mode, **options)


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
