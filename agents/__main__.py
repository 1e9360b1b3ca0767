"""`python -m agents` lists the agents, one line each."""

import argparse
from contextlib import suppress

from agents.roster import AgentError, load_module, make_agent, names, table

parser = argparse.ArgumentParser(prog="python -m agents", description="List the agents.")
parser.add_argument("--load", action="append", default=[], metavar="MODULE", help="a module or file.py that registers agents")
parser.add_argument("--compile", action="store_true", help="compile all agents for all games, where no cache has them yet")
args = parser.parse_args()
for module in args.load:
    load_module(module)
print(table())
if args.compile:
    from agents import worlds
    from cardtable.registry import find, game_ids

    for game in map(find, game_ids()):
        worlds.prepare(game)
        for name in names():
            with suppress(
                AgentError
            ):  # `ppo`, where no policy of the game comes with the package; a game without an evaluation
                make_agent(name, game, game.parse_options({})).prepare()
