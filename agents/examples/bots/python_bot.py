"""A bot in Python, by the protocol of docs/protocol.md, with nothing but the standard library.

    cardtable arena muster "cmd:python agents/examples/bots/python_bot.py 7" random

It plays every game: it knows no rules, only words that the names of good and of bad moves begin with, and draws among the best.
The 7 is the seed that it draws with; without one, every run is different.
"""

import json
import random
import sys
from typing import Any

GOOD = {"bridge", "play", "craft", "develop", "sell", "done", "end"}
BAD = {"lay", "move", "pass", "exchange", "reorder"}
GAMES = 16
"""How many games it is asked about in one line. It remembers nothing of a game, so any number would do."""


def worth(action: str) -> int:
    """1 for a good move, -1 for a bad one, 0 for all others. The name of an action begins with what is done."""
    word = action.split()[0]
    return (word in GOOD) - (word in BAD)


def choose(legal: list[str], chance: random.Random) -> str:
    """One of the best moves. Your own bot begins here."""
    best = max(worth(action) for action in legal)
    return chance.choice([action for action in legal if worth(action) == best])


def answer(message: dict[str, Any], chance: random.Random) -> dict[str, Any] | None:
    """The answer to a message of the arena; None where it expects none, which is most of the time."""
    match message["type"]:
        case "hello":  # to be sent the cards with every question, say "wants": ["view"], and find them in ask["view"]
            return {"type": "ready", "protocol": 1, "name": "python_bot", "version": "1", "games": GAMES}
        case "ask":
            answers = [{"game": ask["game"], "action": choose(ask["legal"], chance)} for ask in message["asks"]]
            return {"answers": answers}
        case "refused":  # our last answer was wrong: say why, on standard error, and answer again
            for ask in message["asks"]:
                print("refused:", ask["detail"], file=sys.stderr)
            return answer({**message, "type": "ask"}, chance)
    return None  # "start" and "end" of games, and whatever later versions of the protocol may add


def main() -> None:
    """Read a line, write a line, until the arena says that it is over."""
    chance = random.Random(*sys.argv[1:2])
    for line in sys.stdin.buffer:  # as bytes: json knows that they are UTF-8, whatever the terminal speaks
        message = json.loads(line)
        if message["type"] == "quit":
            break
        answered = answer(message, chance)
        if answered:
            print(json.dumps(answered), flush=True)  # without the flush, the line waits in a buffer and the arena for it


if __name__ == "__main__":
    main()
