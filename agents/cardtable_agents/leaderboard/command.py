"""The command `cardtable leaderboard`."""

import argparse
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_game, positive_integer
from cardtable.cli.command import Command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cardtable_agents.leaderboard.board import Board
    from cardtable_agents.leaderboard.check import Checked

SAMPLE = 2


def leaderboard_command(args: argparse.Namespace) -> None:
    """Show the published table of all players of a game; --check plays a sample of its games again."""
    from cardtable.errors import AgentError
    from cardtable.game.registry import find
    from cardtable.support.columns import terminal_width
    from cardtable_agents.leaderboard import table
    from cardtable_agents.leaderboard.board import published

    game = find(args.game)
    boards = [board for board in published(game) if args.players in (None, board.players)]
    if not boards:
        there = ", ".join(str(board.players) for board in published(game)) or "none"
        raise AgentError(f"no leaderboard of {game.id} for {args.players or 'any number of'} players; published: {there}")
    _require_known(args.among, boards, check=args.check)
    if not args.check:
        print("\n\n\n".join(table.text(board, terminal_width()) for board in boards))
        return
    checked = [_check(args, board) for board in boards]
    if faults := sum(not each.holds for each in checked):
        raise AgentError(f"{faults} of {len(boards)} tables do not hold")
    if not any(each.games for each in checked):
        raise AgentError(f"--among {' '.join(args.among)}: no game is among these players alone; name more of them")


def _require_known(among: "Sequence[str] | None", boards: "Sequence[Board]", *, check: bool) -> None:
    """`AgentError` if games are asked for of players that no board has, or of which nothing is to be played again."""
    from cardtable.errors import AgentError

    if among is None:
        return
    if not check:
        raise AgentError("--among goes with --check: it says which games are played again")
    known = sorted({agent for board in boards for agent in board.agents})
    if unknown := [agent for agent in among if agent not in known]:
        raise AgentError(f"--among {' '.join(unknown)}: not on the leaderboard; its players: {', '.join(known)}")


def _check(args: argparse.Namespace, board: "Board") -> "Checked":
    """Check a board and say what was found."""
    from cardtable_agents.arena.command import progress_bar
    from cardtable_agents.leaderboard import table
    from cardtable_agents.leaderboard.check import check

    with progress_bar(f"{board.game}, {board.players} players") as progress:
        found = check(board, args.deals, args.among, progress)
    print(f"{table.title(board)}\n  {found}")
    return found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, number of players, and whether to play a sample again."""
    add_game(parser)
    parser.add_argument("--players", type=positive_integer, help="only the table for this number of players")
    parser.add_argument(
        "--check", action="store_true", help="play a sample of the games again, and fail if the table no longer holds"
    )
    parser.add_argument(
        "--deals", type=positive_integer, default=SAMPLE, help="deals of each seating to play again (default %(default)s)"
    )
    parser.add_argument("--among", nargs="+", metavar="AGENT", help="play again only games among these agents")


COMMAND = Command("leaderboard", leaderboard_command, add_arguments)
