"""# Murano: Light Masters

One to four glass makers collect shards around a turning Ring, bargain at four markets, and make works of glass in the order
of their hands; every work can later be set aside for the Advantage of its category. Open Workbenches and money, hidden
hands whose order matters, and a board that each player turns for the next.

| | |
| --- | --- |
| import | `from murano_env import murano_v0` |
| agents | `player_0` … `player_3` (one to four) |
| actions | discrete, masked |
| observation | dict: `observation` (float32 vector in [0, 1]), `action_mask` (int8) |
| length | random play: about 52 decisions solo, 130 to 220 with `grandmaster`, otherwise 7 a turn until `max_rounds` (99 % of the games) |

`murano_v0.env(**options)` is the PettingZoo AEC environment, `murano_v0.raw_env(**options)` the same without the
order-enforcing wrapper, `murano_v0.batch_env(num_games, seed, **options)` many games in one compiled call. The solo game is
also a single-agent Gymnasium environment: `gymnasium.make("cardtable/MuranoSolo-v0")` after `import cardtable`.

The printed board and cards of the game are lost to us. The built-in edition is a **reconstruction**; whoever owns the box
can write circle, ring faces and Creations into an edition file (`edition="cards.toml"`; `example_edition.toml` shows the
format). One compiled engine plays every edition.

## Rules in brief

On a turn a player turns the Selector one notch and takes the two shards of the pair it points at: one fixed in the circle, one
on the Ring. Then comes one negotiation: exchange a shard at a market for the coloured shards of the three segments
connected with it, buy all shards of a market for 2L, or sell shards for 1L in all. Then the card in position 1 can be made,
and the next ones: four shards go back, transparent ones stand for any colour, and 1L comes for every empty place of the
Workbench, which holds eight. Any time in the turn 1L turns the Ring one notch or puts the first card further back, and a
completed work can be set aside for the Advantage card of one of its categories. When somebody has made all cards of the
hand, the round is finished; most Lira win.

Options add a draft of the hands and interactive Advantages (Glass Festival), and Lira on the board, an Owl and costs for
transparent shards and for cards left in hand (the Grandmaster's Challenge). With one player it is The Challenge: six works in
seven turns, and after each turn a card from a hidden stack. Every clause, with its id, is in `RULES.md`.

A turn is many decisions: the same agent is asked until it ends the turn. Another agent may be asked in between, to return
shards over eight or to give one up.

<!-- tables: cardtable spec -->

## Arguments

| option | default | meaning |
| --- | --- | --- |
| `num_players` | 2 | 1 (The Challenge, solo) to 4 (MUR-1.1, 10) |
| `ring` | 'A' | face of the Ring: `A` or `B` (MUR-2.1) |
| `advantages` | 'random' | `random`, `first_game` (cards 1–4), or four ids in tile order: art, jewels, tableware, animals (MUR-2.5) |
| `expert_deck` | False | cards 1 and 2 are not drawn (MUR-2.5) |
| `draft` | False | hands are drafted (MUR-9.1) |
| `interactive` | False | one of the Advantages is an interactive card, 17–20 (MUR-9.2) |
| `grandmaster` | False | the Grandmaster's Challenge (MUR-11) |
| `edition` | 'reconstruction' | the built-in `reconstruction`, or the path of an edition file (MUR-13) |
| `max_rounds` | 50 | rounds after which the game is cut off; not in solo or grandmaster (MUR-12.3) |

## Actions (243)

| ids | notation | meaning |
| --- | --- | --- |
| 0 | `turn selector` | turn the Selector one notch clockwise (MUR-4.1) |
| 1 | `take pair` | take the two shards that the Selector points at (MUR-4.1) |
| 2–6 | `take red` … `take transparent` | take a shard from the Warehouse (MUR-4.2, 8.1, 8.2, 8.5) |
| 7–11 | `give up red` … `give up transparent` | give up a shard of one's own (MUR-4.3, 9.5), or name it (MUR-9.6) |
| 12 | `done` | no replacement (MUR-4.2), end of a choice (MUR-5.3, 8.5, 8.15), or the pass of MUR-5.4 |
| 13–32 | `exchange red at market 0` … `exchange transparent at market 3` | put a shard on a market, take its three (MUR-5.1, 8.5) |
| 33–36 | `buy market 0` … `buy market 3` | take all shards of a market (MUR-5.2, 8.3) |
| 37–41 | `sell red` … `sell transparent` | return a shard for money (MUR-5.3, 8.4) |
| 42–111 | `make replacing none` … `make replacing rrrr` | make the work in position 1; transparent shards stand for these colours (MUR-6.1) |
| 112–117 | `reorder to 2` … `reorder to 7` | put the card in position 1 at another position (MUR-7.1) |
| 118 | `turn ring` | turn the Ring one notch counter-clockwise (MUR-7.2) |
| 119–134 | `use art with art` … `use animals with animals` | use the Advantage of a tile by setting aside such a work (MUR-7.3) |
| 135–140 | `owl brings 2` … `owl brings 7` | give the Owl away, bring this card to the front (MUR-11.6) |
| 141–147 | `arrange 1` … `arrange 7` | this card of the old order comes next (MUR-8.8); never 7 (MUR-16) |
| 148–167 | `lift from market 0 red` … `lift from market 3 transparent` | the shard to be moved to another market (MUR-8.13) |
| 168–171 | `choose market 0` … `choose market 3` | the market it goes to (MUR-8.13); the one to be emptied (MUR-10.1) |
| 172–182 | `turn ring by 1` … `turn ring by 11` | turn the Ring so many notches counter-clockwise (MUR-8.16) |
| 183–202 | `swap red for red` … `swap transparent for blue` | return a shard, take another from the Warehouse (MUR-8.15) |
| 203–217 | `neighbour 1 red` … `neighbour 3 transparent` | a player, so many seats to the left, and a kind of shard (MUR-9.3, 9.4, 9.6) |
| 218–241 | `draft card 0` … `draft card 23` | keep this card of the pack, by its number (MUR-9.1) |
| 242 | `end turn` | end the turn (MUR-3.3) |

## Observation (731 numbers in [0, 1])

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–119 | `pairs` | 12 × 10 | the pairs as the Selector meets them: the one it points at if it is set this turn, otherwise the next, and so on |
| 120–159 | `markets` | 4 × 10 | shards there, and those of its segments that the Warehouse has (MUR-5.1, 8.5) |
| 160–219 | `segments` | 4 × 3 × 5 | ring segments connected with each market; a turn of the Ring brings each place the next one |
| 220–224 | `warehouse` | 5 | shards in stock / 10 |
| 225–244 | `bench` | 4 × 5 | shards on each Workbench / 10 |
| 245–308 | `ready` | 4 × 4 × 4 | works not set aside, by kind as the actions `use` name it / 7 |
| 309–388 | `advantages` | 4 × 20 | the Advantage card of each tile |
| 389–486 | `hand` | 7 × 14 | own cards in order (in a draft those kept): recipe, categories, what the Workbench lacks |
| 487–492 | `new_order` | 6 | own new order: new position of each card / 6 (MUR-8.8) |
| 493–524 | `seats` | 4 × 8 | where each seat stands; scores below 0 are shown as 0 |
| 525–547 | `phase` | 23 | what is decided now; zeros when the game is over |
| 548–559 | `turn` | 12 | the turn under way (MUR-3) |
| 560–575 | `choice` | 16 | the choice under way (MUR-3.4) |
| 576–647 | `creations` | 24 × 3 | what is known of each Creation besides the own hand (MUR-9.1, 15.2) |
| 648–711 | `pack` | 8 × 8 | cards of the own pack, in the order of their numbers (MUR-9.1) |
| 712–719 | `challenge` | 8 | solo: Challenge cards of each kind not revealed / those that exist (MUR-10.1) |
| 720 | `challenge_stack` | 1 | solo: Challenge cards in the stack / 6 |
| 721–722 | `round` | 2 | the number of the round, on two scales (MUR-12.3) |
| 723 | `last_round` | 1 | 1 if the game ends with this round (MUR-11.7, 12.1) |
| 724–727 | `players` | 4 | how many play |
| 728–730 | `variants` | 3 | the options that change the rules |

## Hidden part of `state()` (80 numbers)

| numbers | name | shape | meaning |
| --- | --- | --- | --- |
| 0–23 | `out_of_game` | 24 | Creations that nobody was dealt or kept |
| 24–71 | `challenge` | 6 × 8 | the stack of Challenge cards in order |
| 72–79 | `left_out` | 8 | Challenge cards that are not in the stack / 4 |

## Infos (integers, 0 until the game is over)

| name | meaning |
| --- | --- |
| `score` | lira - penalty (MUR-12.2) |
| `lira` | Lira that the agent has |
| `penalty` | Lira for cards left, with `grandmaster` (MUR-11.8) |
| `cards_left` | Creations that were not made |
| `rounds` | rounds played |
| `decisions` | decisions of all players |

## Views (`table.view(seat)`, `env.view(agent)`)

| field | meaning | who sees it |
| --- | --- | --- |
| `length` | decisions made so far | All see it |
| `num_players` | seats that play | All see it, and it stays as it is all game long: options and what comes from an edition |
| `seat` | seat to act | All see it |
| `max_rounds` | rounds after which the game is cut off (MUR-12.3) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `ring_face` | option (MUR-2.1) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `advantage_mode` | how the Advantages are found (MUR-2.5) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `expert_deck` | option (MUR-2.5) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `draft` | option (MUR-9.1) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `interactive` | option (MUR-9.2) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `grandmaster` | option (MUR-11) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `circle` | shard at each notch (MUR-1.4) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `ring` | shard on each segment (MUR-1.4) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `recipe` | shards of each Creation | All see it, and it stays as it is all game long: options and what comes from an edition |
| `category` | categories of each Creation | All see it, and it stays as it is all game long: options and what comes from an edition |
| `phase` | what the seat to act decides | All see it |
| `turn` | whose turn it is | All see it |
| `round_number` | number of the round | All see it |
| `last_round` | the game ends with this round (MUR-11.7, 12.1) | All see it |
| `selector_set` | the Selector has been turned, or stays by card 11 (MUR-4.1, 8.11) | All see it |
| `takes` | pairs taken this turn (MUR-4.1, 8.12) | All see it |
| `repetition` | card 12 was used this turn (MUR-8.12) | All see it |
| `collect_closed` | Collect is over (MUR-3.2) | All see it |
| `negotiations` | Negotiate actions of this turn (MUR-5, 8.10) | All see it |
| `privilege` | card 10 was used this turn (MUR-8.10) | All see it |
| `passed` | the pass of MUR-5.4 was made this turn | All see it |
| `follow_up` | card that may follow the last action (MUR-8.6, 8.7) | All see it |
| `works_made` | works made this turn (MUR-6.3) | All see it |
| `quotation` | the last work of this turn paid 8L and card 14 has not been used on it (MUR-8.14) | All see it |
| `turn_over` | the turn has ended, its Challenge card is under way (MUR-10.1) | All see it |
| `missing` | shards of the pair still to be replaced (MUR-4.2) | All see it |
| `sale` | Lira that the Sell under way will pay (MUR-5.3, 8.4) | All see it |
| `offered` | connected segments not picked yet under card 5 (MUR-8.5) | All see it |
| `arranged` | old positions picked so far by card 8 (MUR-8.8) | Only who arranges a hand knows how (MUR-15.1) |
| `chosen_market` | where card 13 takes a shard (MUR-8.13) | All see it |
| `chosen_shard` | shard of card 13 or 20 (MUR-8.13, 9.6) | All see it |
| `selector` | notch of the Selector; none: on gap 11 (MUR-11.3) | All see it |
| `ring_offset` | segment that notch 0 faces (MUR-1.6) | All see it |
| `gap_lira` | Lira on each gap (MUR-11.2) | All see it |
| `advantage` | card under each tile | All see it |
| `warehouse` | shards in stock | All see it |
| `market` | shards in each market | All see it |
| `first_shards` | shards for the markets before set-up (MUR-2.3) | All see it, and it stays as it is all game long: options and what comes from an edition |
| `lira` | Lira of each seat | All see it |
| `bench` | shards on each Workbench | All see it |
| `owl` | who has the Owl (MUR-11.6) | All see it |
| `hand` | cards of each seat, position 1 first | By seat: each sees its own; of the others, how many there are |
| `works` | works of each seat, the first made first | All see it |
| `set_aside` | works that have been used (MUR-7.3) | All see it |
| `deck` | Creations not dealt, the top last | All see how many there are, nobody which |
| `pack` | pack in front of each seat (MUR-9.1) | By seat: each sees its own; of the others, how many there are |
| `drafted` | cards drafted, in order (MUR-9.1) | By seat: each sees its own; of the others, how many there are |
| `box` | last card of each pack, by the seat that held it last | Each seat knows the card of the pack that it held last (MUR-9.1) |
| `mixed` | the seat has used card 8: its order is its own (MUR-15.1) | All see it |
| `challenge` | stack of Challenge cards, the top last | All see how many there are, nobody which |
| `revealed` | Challenge cards revealed so far | All see it |
| `left_out` | Challenge cards that are not in the stack | All see how many there are, nobody which |

## Events (`table.events(seat)`, `env.events(agent)`)

| event | meaning | fields |
| --- | --- | --- |
| `start` | the cards have been dealt: what lies where is in the first view |  |
| `action` | a decision; what follows from it comes as events of its own | `seat`: who decided; `action`: the notation of the action, of a secret one `"draft card ?"` for the others |
| `now` | what is different since: fields of the view by name, with what they hold now | `(field)`: its value in the view |
| `end` | the game is over | `ending`: `terminated` by the rules, or `truncated`: cut off; `scores`: by seat; `returns`: by seat |
| `take` | shards come to a Workbench: of a market (MUR-5.2) or the Warehouse (MUR-4, 5.1, 8.1, 8.2, 8.5 to 8.7, 8.15, 10.1) | `seat`: whose Workbench; `from`: `warehouse` or the market; `shards`: a list of their kinds |
| `put` | shards leave a Workbench: for a market (MUR-5.1) or the Warehouse (MUR-4.3, 5.3, 6.1, 8.9, 8.15, 9.5) | `seat`: whose Workbench; `to`: `warehouse` or the market; `shards`: a list of their kinds |
| `give` | shards go from a Workbench to another one (MUR-9.3, 9.4, 9.6) | `from_seat`: who had them; `to_seat`: who has them now; `shards`: a list of their kinds |
| `move` | shards leave a market for another one (MUR-8.13) or the Warehouse (MUR-10.1) | `from`: the market they leave; `to`: `warehouse` or a market; `shards`: a list of their kinds |
| `offer` | connected segments not picked yet under card 5 (MUR-8.5) | `shards`: a list of their kinds |
| `lira` | Lira are paid or received, whatever for (MUR-1.3) | `seat`: whose Lira; `change`: how many more there are now; below 0, fewer |
| `selector` | the Selector is turned one notch clockwise (MUR-4.1, 10.1, 11.3) | `notch`: where it points now |
| `ring` | the Ring is turned counter-clockwise (MUR-7.2, 8.16, 10.1) | `steps`: how many steps; `segment`: the one that notch 0 faces now (MUR-1.6) |
| `gap` | a Lira leaves the board (MUR-11.4) | `gap`: where it lay; `to_seat`: who receives it, which an event `lira` tells too; null: the supply |
| `challenge` | the top card of the stack is revealed (MUR-10.1) | `card`: the card |
| `make` | the card in position 1 becomes a work (MUR-6.1 to 6.3) | `seat`: who did it; `card`: the Creation, from now on open |
| `use` | a work is set aside for an Advantage (MUR-7.3) | `seat`: who did it; `work`: the Creation set aside; `tile`: the category; `advantage`: the card of that tile |
| `reorder` | a card changes its position, for all to see (MUR-7.1, 11.6) | `seat`: who did it; `from`: position it leaves, from 1; `to`: position it goes to |
| `owl` | the Owl goes to the right (MUR-11.6) | `from_seat`: who had it; `to_seat`: who has it now |
| `mix` | the Magician begins: the others lose sight (MUR-8.8, 15.1) | `seat`: who did it |
| `arrange` | a card gets its place in the new order (MUR-8.8) | `seat`: who did it; `position`: its old position, from 1; secret |
| `order` | the Magician's new order is complete (MUR-8.8) | `seat`: who did it; `positions`: the old positions in the new order, from 1; secret |
| `draft` | a card of the pack comes to the hand (MUR-9.1) | `seat`: who did it; `card`: the Creation; secret |
| `pass` | a pack goes to the left (MUR-9.1) | `from_seat`: who had it; `to_seat`: who has it now; `cards`: its Creations; only who has it now sees them |
| `box` | the last card of a pack is out of the game (MUR-9.1) | `seat`: who did it; `card`: the Creation; secret |
| `last_round` | the game ends with this round (MUR-11.7, 12.1) |  |
| `round` | a round begins (MUR-12.1) | `number`: of the round, from 1 |
| `turn` | another player's turn begins (MUR-3.1) | `seat`: whose turn it is |

## Decks for `reset(options={"deal": …})`

| deck | cards |
| --- | --- |
| `creations` | all 24 Creations; a block of them to player_0, the next to player_1, … (MUR-2.2, 9.1) |
| `advantages` | four Advantages in tile order, unless the option gives them (MUR-2.5, 9.2) |
| `markets` | the four colours, one for each market (MUR-2.3) |
| `challenge` | solo: the six Challenge cards of the stack (MUR-10.1) |
| `selector` | one notch, `notch 0` … `notch 11`, not with `grandmaster` (MUR-2.1, 11.3) |
| `ring` | one segment, `segment 0` … `segment 11`: the one that notch 0 faces (MUR-2.1) |

<!-- end of tables -->

"Own" is the seat that observes, "1 to the left" the next one, and so on; seats that do not play are zeros. Pairs are in the order
in which the Selector meets them; market numbers are those of the actions. A Creation's numbers are its recipe and
categories, not its id: what is learnt carries over to other editions. Only `creations` goes by number, as the actions
`draft card 0` … do. `state()` is the observation of each agent in turn, and the hidden part.

## Rewards

0 until the game is over; then, with n players of whom k share the win, (n/k - 1)/(n - 1) for a winner and -1/(n - 1) for the
others. Solo: -1 with a work unmade, otherwise 0.25, 0.5, 0.75, 1 for the ranks Apprentice (up to 39L), Artisan (40L), Master
(45L), Grandmaster (50L). A game that reaches `max_rounds` is scored as it stands and reported as truncated.

When the game is over, `summary(agent)` gives the numbers of the agent's `infos` and in words the `works` made and `ended_by`
(the clause); in solo also the `rank`, None if the game is lost.

## Version history

- v0, rules 1: first version.
"""

from pathlib import Path
from typing import Any, Unpack

from pettingzoo import AECEnv

from cardtable.engine.ending import Ending
from cardtable.engine.kernels import Kernels
from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Deck, Game
from murano_env.actions import ACTIONS
from murano_env.check import check, check_fixed, derive
from murano_env.clauses import Clause, witness
from murano_env.constants import SOLO, Fault
from murano_env.deals import place_advantages, place_challenge, place_ring, place_selector
from murano_env.events import EVENTS, SIGHT
from murano_env.information import forget_hidden, redeal_hidden
from murano_env.observation import HIDDEN, LAYOUT, observe, observe_hidden
from murano_env.options import MuranoOptions
from murano_env.picture import picture
from murano_env.render import text
from murano_env.rules import apply, legal, set_up, shuffle_decks
from murano_env.scoring import RANK_NAMES, is_over, penalty, returns, score_of, scores, solo_rank
from murano_env.state import STATE
from murano_env.types import OptionArguments, State

EXAMPLE_EDITION = Path(__file__).with_name("example_edition.toml")
"""An edition file to look at, and to practise with."""


def ended_by(game: State) -> str:
    """The clause that ended the game."""
    if is_over(game) == Ending.TRUNCATED:
        return "MUR-12.3"
    if game.num_players == SOLO and game.hand_size[0] > 0:
        return "MUR-10.2"
    return "MUR-11.7" if game.grandmaster and not game.gap_lira.any() else "MUR-12.1"


def rank(game: State) -> str | None:
    """The rank in the solo game; None if it is lost (MUR-10.3)."""
    return RANK_NAMES[solo_rank(game)] if game.hand_size[0] == 0 else None


INFOS = {
    "score": "lira - penalty (MUR-12.2)",
    "lira": "Lira that the agent has",
    "penalty": "Lira for cards left, with `grandmaster` (MUR-11.8)",
    "cards_left": "Creations that were not made",
    "rounds": "rounds played",
    "decisions": "decisions of all players",
}
"""The entries of `summary` that `infos` hold."""


def summary(game: State, options: MuranoOptions) -> list[dict[str, Any]]:
    """How the game went for each seat: its score and what made it up, how the game ended."""
    names = options.cards.names()
    common: dict[str, Any] = {
        "rounds": int(game.round_number),
        "ended_by": ended_by(game),
        "decisions": int(game.length),
    }
    if game.num_players == SOLO:
        common["rank"] = rank(game)
    return [
        {
            "score": int(score_of(game, seat)),
            "lira": int(game.lira[seat]),
            "penalty": int(penalty(game, seat)),
            "works": [names[work] for work in game.works[seat, : game.works_size[seat]]],
            "cards_left": int(game.hand_size[seat]),
            **common,
        }
        for seat in range(game.num_players)
    ]


GAME = Game(
    id="murano_v0",
    title="Murano: Light Masters",
    rules_version=1,
    options=MuranoOptions,
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
        "deck": Deck("creations", "all 24 Creations; a block of them to player_0, the next to player_1, … (MUR-2.2, 9.1)"),
        "advantage": Deck(
            "advantages", "four Advantages in tile order, unless the option gives them (MUR-2.5, 9.2)", place_advantages
        ),
        "first_shards": Deck("markets", "the four colours, one for each market (MUR-2.3)"),
        "challenge": Deck("challenge", "solo: the six Challenge cards of the stack (MUR-10.1)", place_challenge),
        "selector": Deck(
            "selector", "one notch, `notch 0` … `notch 11`, not with `grandmaster` (MUR-2.1, 11.3)", place_selector
        ),
        "ring_offset": Deck(
            "ring", "one segment, `segment 0` … `segment 11`: the one that notch 0 faces (MUR-2.1)", place_ring
        ),
    },
    infos=INFOS,
    summary=summary,
    sight=SIGHT,
    events=EVENTS,
    text=text,
    picture=picture,
    variants=(
        {},
        {"num_players": 3, "ring": "B", "max_rounds": 12},
        {"num_players": 4, "expert_deck": True, "max_rounds": 10},
        {"num_players": 1},
        {"num_players": 1, "ring": "B", "advantages": [8, 13, 14, 16]},
        {"num_players": 3, "advantages": "first_game", "max_rounds": 4},
        {"advantages": [5, 6, 7, 10], "max_rounds": 20},
        {"advantages": [9, 11, 12, 15], "max_rounds": 20},
        {"draft": True, "max_rounds": 15},
        {"draft": True, "grandmaster": True, "advantages": [8, 9, 13, 1]},
        {"num_players": 4, "grandmaster": True, "interactive": True},
        {"interactive": True, "advantages": [1, 17, 13, 2], "max_rounds": 20},
        {"num_players": 3, "draft": True, "interactive": True, "advantages": [3, 8, 18, 16], "max_rounds": 12},
        {"num_players": 4, "draft": True, "interactive": True, "advantages": [4, 5, 9, 19], "max_rounds": 10},
        {"num_players": 3, "grandmaster": True, "interactive": True, "advantages": [20, 10, 12, 14]},
        {"num_players": 4, "interactive": True, "edition": EXAMPLE_EDITION, "max_rounds": 10},
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
