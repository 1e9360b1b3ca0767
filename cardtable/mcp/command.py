"""The command `cardtable mcp`."""

import argparse

from cardtable.cli.arguments import add_load
from cardtable.cli.command import Command
from cardtable.errors import CardtableError


def mcp_command(args: argparse.Namespace) -> None:
    """Serve games to a language model over the Model Context Protocol, on standard input and output."""
    from cardtable.mcp.games import Games
    from cardtable.mcp.permissions import Permissions
    from cardtable.players import roster

    try:
        from cardtable.mcp.server import make_server
    except ModuleNotFoundError as error:
        raise CardtableError(
            f"mcp needs packages that are not installed ({error.name}): pip install 'cardtable[mcp]'"
        ) from None
    for module in args.load:
        roster.load_module(module)
    make_server(Games(Permissions(tuple(args.allow_agent), tuple(args.allow_edition)))).run("stdio")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Modules of agents, and what clients may name besides what is harmless."""
    add_load(parser)
    parser.add_argument(
        "--allow-agent",
        action="append",
        default=[],
        metavar="NAME",
        help="an agent that clients may name although what follows its colon is no small number, such as ppo:FILE; "
        "may be repeated",
    )
    parser.add_argument(
        "--allow-edition",
        action="append",
        default=[],
        metavar="FILE",
        help="an edition file that clients may name; may be repeated",
    )


COMMAND = Command("mcp", mcp_command, add_arguments)
