"""`python -m tools.publish_leaderboard GAME`: play everybody against everybody, and publish the games and the page.

    python -m tools.publish_leaderboard muster --games 200
    python -m tools.publish_leaderboard murano --players 4 --games 40 --exploits runs/exploit-murano-4/exploit.json
    python -m tools.publish_leaderboard --page --exploits runs/exploit*/exploit.json

Interrupted, the same command continues: the games are kept in `--work`. What a best response won against a player stays on the
board as long as the player's content does, or until another one is given. `--page` plays nothing: it puts what
`--exploits` names on the boards that are there, and writes docs/leaderboard.md.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtable_agents.arena import standings, tournament
from cardtable_agents.arena.command import progress_bar
from cardtable_agents.arena.plan import Plan, make_plan
from cardtable_agents.arena.results import Line
from cardtable_agents.leaderboard import board as boards
from cardtable_agents.leaderboard import table
from cardtable_agents.leaderboard.board import Board, Exploited

from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.engine.jit import cores
from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.players import keys
from cardtable.support import files, machine
from cardtable.version import __version__

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "leaderboard.md"
WORK = Path("runs") / "leaderboard"
AGENTS = ("random", "heuristic:1", "heuristic", "search:100", "search:400", "ppo", "best")
GAMES = 200
SEED = 7
"""Of the deals: no player was chosen or trained on them."""
SALT = keys.open_salt("leaderboard")
LARGEST_FILE = 1 << 16
BEGIN, END = "<!-- boards -->\n", "<!-- end of boards -->"


def play(game: Game, players: int, args: argparse.Namespace) -> Board:
    """Play all games of a board."""
    options = {} if game.parse_options({}).num_players == players else {"num_players": players}
    plan = make_plan(game.id, options, args.agents, SEED)
    tournament.prepare(plan)
    with progress_bar(f"{game.id}, {players} players") as progress:
        folder = args.work / f"{game.id}-{players}-{plan.folder().name[-10:]}"
        lines = tournament.run(plan, args.games, folder, workers=args.workers or cores(), salt=SALT, progress=progress)
    return board_of(plan, lines, f"python -m tools.publish_leaderboard {game.id} --players {players} --games {args.games}")


def board_of(plan: Plan, lines: Sequence[Line], command: str) -> Board:
    """The board of the games that were played."""
    results, games = boards.packed(lines)
    rows = {row.agent: row for row in standings.standings(plan.labels, lines)}
    return Board(
        game=plan.game,
        rules=plan.rules,
        options=plan.options,
        agents=plan.labels,
        fingerprints=plan.fingerprints,
        seed=plan.seed,
        salt=SALT,
        version=__version__,
        date=datetime.now(UTC).date().isoformat(),
        machine=machine.processor(),
        command=command,
        milliseconds={agent: round(1000 * row.seconds / max(row.decisions, 1), 4) for agent, row in rows.items()},
        scores={agent: round(row.score / max(row.entries, 1), 3) for agent, row in rows.items()},
        results=results,
        games=games,
    )


def with_exploits(board: Board, earlier: Board | None, given: Sequence[Path]) -> Board:
    """The board with what best responses won: those that are given, and earlier ones against players that are the same."""
    content = dict(zip(board.agents, board.fingerprints, strict=True))
    kept: dict[str, Exploited] = {}
    if earlier is not None:
        before = dict(zip(earlier.agents, earlier.fingerprints, strict=True))
        kept = {agent: each for agent, each in earlier.exploited.items() if before[agent] == content.get(agent)}
    for found in map(read_exploit, given):
        if is_about(found, board):
            low, high = found["interval"]
            kept[found["agent"]] = Exploited(found["rate"], low, high, found["minutes"], found["games"])
    return replace(board, exploited=kept)


def read_exploit(path: Path) -> dict[str, Any]:
    """What `cardtable exploit` has found, by its exploit.json."""
    found: dict[str, Any] = json.loads(files.read_text(path, LARGEST_FILE))
    return found


def is_about(found: Mapping[str, Any], board: Board) -> bool:
    """Whether it was found against a player of this board, with the files that the player has there."""
    content = dict(zip(board.agents, board.fingerprints, strict=True))
    return (found["game"], found["options"]) == (board.game, board.options) and content.get(found["agent"]) == found[
        "fingerprint"
    ]


def add_exploits(given: Sequence[Path]) -> None:
    """Put what best responses won on published boards; `AgentError`, and nothing is written, if one has no row there."""
    about = {path: [board for board in published() if is_about(read_exploit(path), board)] for path in given}
    for path, found in about.items():
        if not found:
            raise AgentError(f"{path}: no board has a row for this player with these options and files")
    for path, found in about.items():
        for place in (boards.path_of(find(board.game), board.players) for board in found):
            board = boards.read(place)
            files.write_whole(place, boards.as_text(with_exploits(board, board, [path])))


def page(all_boards: Sequence[Board]) -> str:
    """The page with all boards."""
    text = PAGE.read_text(encoding="utf-8")
    before, opened, rest = text.partition(BEGIN)
    _, closed, after = rest.partition(END)
    if not opened or not closed:
        raise ValueError(f"{PAGE} has no lines {BEGIN.strip()} and {END}")
    return before + BEGIN + "\n" + "\n\n".join(map(_section, all_boards)) + "\n\n" + END + after


def _section(board: Board) -> str:
    players = "one player" if board.players == 1 else f"{board.players} players"
    return f"## {find(board.game).title}, {players}\n\n```text\n{table.text(board)}\n```"


def published() -> list[Board]:
    """All boards, by game and number of players."""
    return [board for game_id in game_ids() for board in boards.published(find(game_id))]


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and publish."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m tools.publish_leaderboard", description=__doc__, formatter_class=layout)
    parser.add_argument("game", nargs="?", metavar="GAME", help=f"one of: {', '.join(game_ids())}")
    parser.add_argument("--players", type=positive_integer, nargs="+", help="numbers of players (default: all)")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS), help=f"(default: {' '.join(AGENTS)})")
    parser.add_argument("--games", type=positive_integer, default=GAMES, help="games of each line-up (default: %(default)s)")
    parser.add_argument("--exploits", nargs="+", type=Path, default=[], help="exploit.json of best responses")
    parser.add_argument("--workers", type=positive_integer, help="number of processes (default: one per core)")
    parser.add_argument("--work", type=Path, default=WORK, help="where games are kept (default: %(default)s)")
    parser.add_argument(
        "--page", action="store_true", help="play nothing: add --exploits to the boards that are there, and write the page"
    )
    args = parser.parse_args(arguments)
    if args.page:
        add_exploits(args.exploits)
    else:
        if args.game is None:
            raise AgentError("which game? or --page")
        game = find(args.game)
        for players in args.players or game.player_counts:
            place = boards.path_of(game, players)
            earlier = boards.read(place) if place.exists() else None
            board = with_exploits(play(game, players, args), earlier, args.exploits)
            place.parent.mkdir(exist_ok=True)
            files.write_whole(place, boards.as_text(board))
            print(table.text(board))
    files.write_whole(PAGE, page(published()))


if __name__ == "__main__":
    sys.exit(console.run("python -m tools.publish_leaderboard", main))
