"""A bot for tests that keeps to the protocol: it plays at random by a fixed seed, and may write down all that it reads.

`honest.py '{"wants": […], "games": 8, "log": FILE, "sleep": SECONDS for each ask, "by": "name"}' [mark]`
"""

import json
import random
import sys
import time

settings = json.loads(sys.argv[1])
generator = random.Random(1)
log = open(settings["log"], "a") if "log" in settings else None  # noqa: SIM115  # until the end


def answer(asked):
    place = generator.randrange(len(asked["ids"]))
    action = asked["legal" if settings.get("by") == "name" else "ids"][place]
    info = {"value": 0.5, "moves": {asked["legal"][place]: 1.0}, "text": f"game {asked['game']}"}
    return {"game": asked["game"], "action": action, "info": info}


def say(message):
    print(json.dumps(message), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if log:
        log.write(line)
        log.flush()
    if message["type"] == "hello":
        wants, games = settings.get("wants", []), settings.get("games", 1)
        say({"type": "ready", "protocol": 1, "name": "honest", "version": "1", "wants": wants, "games": games, "extra": [1]})
    elif message["type"] in ("ask", "refused"):
        time.sleep(settings.get("sleep", 0) * len(message["asks"]))
        answers = [answer(asked) for asked in message["asks"]]
        say({"answers": answers[::-1]} if len(answers) > 1 else answers[0])
