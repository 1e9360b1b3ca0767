"""Draw the pictures that README and docs show: `python -m tools.make_pictures`.

docs/pictures holds a replay of each game, as `cardtable arena GAME heuristic heuristic:2 --replays` writes it, and its picture
after some decisions, as player_0 sees it.
"""

from pathlib import Path

from cardtable.game.registry import game_ids
from cardtable.replay import load_verified, rewound
from cardtable.support import files

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
DECISIONS = {"artisans_v0": 110, "murano_v0": 52, "muster_v0": 50}
"""After how many decisions a game is drawn."""
SEAT = 0


def path_of(game_id: str, suffix: str) -> Path:
    """Where the replay or the picture of a game lies."""
    return FOLDER / f"{game_id.rpartition('_v')[0]}.{suffix}"


def drawn(game_id: str) -> str:
    """The picture of a game."""
    _, table = load_verified(path_of(game_id, "json"))
    return rewound(table, DECISIONS[game_id]).picture(SEAT)


def main() -> None:
    """Draw the pictures of all games."""
    for game_id in game_ids():
        path = path_of(game_id, "svg")
        files.write_whole(path, drawn(game_id))
        print(path.name)


if __name__ == "__main__":
    main()
