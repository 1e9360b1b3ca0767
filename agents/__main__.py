"""`python -m agents` lists the agents, one line each."""

import argparse
import sys
from contextlib import suppress

from agents.roster import AgentError, load_module, make_agent, names, table
from cardtable import console


def main() -> None:
    """List them; compile them if asked to."""
    parser = argparse.ArgumentParser(prog="python -m agents", description="List the agents.")
    parser.add_argument(
        "--load", action="append", default=[], metavar="MODULE", help="a module or file.py that registers agents"
    )
    parser.add_argument("--compile", action="store_true", help="compile all agents for all games, where no cache has them yet")
    args = parser.parse_args()
    for module in args.load:
        load_module(module)
    print(table())
    if args.compile:
        compile_all()


def compile_all() -> None:
    """Compile every agent for every game."""
    from agents import worlds
    from cardtable.registry import find, game_ids

    for game in map(find, game_ids()):
        worlds.prepare(game)
        for name in names():
            with suppress(AgentError):  # `ppo` without a policy of the game in the package; a game without an evaluation
                make_agent(name, game, game.parse_options({})).prepare()


if __name__ == "__main__":
    sys.exit(console.run("python -m agents", main))
