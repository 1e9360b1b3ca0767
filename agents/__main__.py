"""`python -m agents` lists the agents, one line each."""

import argparse
import sys

from agents.roster import load_module, table
from cardtable import console


def main() -> None:
    """List them."""
    parser = argparse.ArgumentParser(prog="python -m agents", description="List the agents.")
    parser.add_argument(
        "--load", action="append", default=[], metavar="MODULE", help="a module or file.py that registers agents"
    )
    args = parser.parse_args()
    for module in args.load:
        load_module(module)
    print(table())


if __name__ == "__main__":
    sys.exit(console.run("python -m agents", main))
