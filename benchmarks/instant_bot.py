"""A bot that answers at once, any of the legal actions; what it wants with each ask are its arguments."""

import json
import sys

GAMES = 64

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "ready", "protocol": 1, "name": "instant", "wants": sys.argv[1:], "games": GAMES}
    elif message["type"] in ("ask", "refused"):
        chosen = [(ask["game"], ask["ids"][ask["decision"] % len(ask["ids"])]) for ask in message["asks"]]
        answer = {"answers": [{"game": game, "action": action} for game, action in chosen]}
    else:
        continue  # the end of the input ends the program
    print(json.dumps(answer), flush=True)
