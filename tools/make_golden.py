"""Write the golden games that are missing: one recorded game for every game and variant.

`python -m tools.make_golden`. With a new rules version, remove the game's files first. Files of format 1 are converted.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.replay import FORMAT_1, Replay, chain
from cardtable.table import Table
from tools.variants import VARIANTS, choice, open_table, variant_id

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
SEED = 20
SEEDS = {  # games in which each of the Advantages given is used (one of them never is in a solo game of few decisions)
    "num_players_1+ring_B+advantages_8-13-14-16": 42,
    "advantages_9-11-12-15+max_rounds_20": 28,
    "num_players_3+draft+interactive+advantages_3-8-18-16+max_rounds_12": 25,
    "num_players_4+draft+interactive+advantages_4-5-9-19+max_rounds_10": 21,
    "num_players_3+grandmaster+interactive+advantages_20-10-12-14": 32,
}


LATER_NUMBERS = (1, 2**40 + 7)
"""Games of a run besides number 0 that are recorded under default options: streams are numbered as they always were."""


def golden_games() -> Iterator[tuple[Path, Game, dict[str, Any], int, int]]:
    """(file, game, options, seed, number) of every golden game."""
    for game_id, options in VARIANTS:
        name = variant_id(options).replace("=True", "").replace("=", "_").replace(",", "+")
        yield GOLDEN / game_id / f"{name}.json", find(game_id), dict(options), SEEDS.get(name, SEED), 0
    for game_id, number in product(game_ids(), LATER_NUMBERS):
        yield GOLDEN / game_id / f"default-number-{number}.json", find(game_id), {}, SEED, number


def varied_choice(table: Table) -> int:
    """An action of the block played least so far, and of those one played least: a game that shows all that it can."""
    actions, played = table.game.actions, Counter(table.history)
    blocks: dict[int, list[int]] = {}
    for number, span in enumerate(actions.at):
        legal = span.start + np.flatnonzero(table.mask[span.start : span.stop])
        if legal.size:
            blocks[sum(played[action] for action in range(*span)) * len(actions.at) + number] = legal.tolist()
    legal = blocks[min(blocks)]
    mask = np.zeros_like(table.mask)
    mask[[action for action in legal if played[action] == min(played[other] for other in legal)]] = 1
    return choice(mask, 1, len(table.history))


def convert(path: Path) -> None:
    """Write a golden game of format 1 in today's format: the same moves, and hashes that follow from the old ones alone."""
    old = Replay.load(path)
    if old.format != FORMAT_1:
        return
    new = Replay.of(old.verify())
    last = new.start_hash
    for before, after in zip(old.moves, new.moves, strict=True):
        last = chain(last, before["seat"], before["action"], before["hash"])
        assert after == {"seat": before["seat"], "action": before["action"], "hash": last}
    assert (new.options, new.start, new.result) == (old.options, old.start, old.result)
    assert new.end_hash == chain(last, old.result)
    new.verify()
    new.save(path)
    print(f"{path.name}: converted, {len(new.moves)} decisions")


def main() -> None:
    """Play and save those that are missing."""
    for path, game, options, seed, number in golden_games():
        if path.exists():
            convert(path)
            continue
        table = open_table(game, options, seed, number)
        while not table.ending:
            table.play(varied_choice(table))
        path.parent.mkdir(parents=True, exist_ok=True)
        Replay.of(table).save(path)
        print(f"{path.name}: {len(table.history)} decisions")


if __name__ == "__main__":
    main()
