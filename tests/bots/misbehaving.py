"""A bot for tests that does what it should not: `misbehaving.py SHARE GAMES KIND[,KIND…] [mark]`.

At each answer it draws by SHARE whether to misbehave, and one of the kinds, `all` for any.
"""

import json
import os
import random
import signal
import sys
import time

generator = random.Random()


def write(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(message):
    write(json.dumps(message).encode() + b"\n")


def right(asks):
    return {"answers": [{"game": asked["game"], "action": generator.choice(asked["ids"])} for asked in asks]}


def each(asks, action):
    say({"answers": [{"game": asked["game"], "action": action(asked)} for asked in asks]})


def sleep_for_ever(*_):
    while True:
        time.sleep(1000)


# ---- Answers that are wrong


def illegal(asks):
    each(asks, lambda asked: next(number for number in range(10**6) if number not in asked["ids"]))


def unknown_name(asks):
    each(asks, lambda asked: "castle the queen")


def numbers_as_text(asks):
    each(asks, lambda asked: str(asked["ids"][0]))


def fractions(asks):
    each(asks, lambda asked: asked["ids"][0] + 0.5)


def truth_values(asks):
    each(asks, lambda asked: True)


def huge_integers(asks):
    each(asks, lambda asked: 10**4000)


def nothing_at_all(asks):
    each(asks, lambda asked: None)


def lists_of_actions(asks):
    each(asks, lambda asked: [asked["ids"][0]])


def wrong_types(asks):
    say(
        generator.choice(
            [[], 3, "yes", None, True, {"answers": 3}, {"answers": {}}, {"answers": [3, None, []]}, {"action": {}}]
        )
    )


def duplicates(asks):
    say({"answers": right(asks)["answers"] * 2})


def other_games(asks):
    say({"answers": [{"game": asked["game"] + 1000, "action": asked["ids"][0]} for asked in asks]})


def games_by_text(asks):
    say({"answers": [{"game": str(asked["game"]), "action": asked["ids"][0]} for asked in asks]})


def some_missing(asks):
    say({"answers": right(asks)["answers"][1:]})


def empty_line(asks):
    write(b"\n")


def empty_object(asks):
    say({})


def not_json(asks):
    write(b"I play the first one\n")


def cut_off(asks):
    write(json.dumps(right(asks)).encode()[:-2] + b"\n")


def garbage(asks):
    write(os.urandom(200).replace(b"\n", b" ") + b"\n")


def invalid_utf8(asks):
    write(b'{"action": "\xff\xfe\xed\xa0\x80"}\n')


def zero_bytes(asks):
    write(b"\0" * 1000 + b"\n")


def not_a_number(asks):
    write(f'{{"answers": [{{"game": {asks[0]["game"]}, "action": NaN}}]}}\n'.encode())


def infinity(asks):
    write(b'{"action": -Infinity}\n')


def deep(asks):
    write(b"[" * 100_000 + b"\n")


def deep_objects(asks):
    write(b'{"action":' * 100_000 + b"\n")


def digits(asks):
    write(b'{"action": ' + b"9" * 500_000 + b"}\n")


def wide(asks):
    write(b'{"answers": [' + b"{}," * 300_000 + b"{}]}\n")


def debug_text(asks):
    write(b"thinking...\n")
    time.sleep(0.002)
    say(right(asks))


# ---- Too much


def two_answers(asks):
    say(right(asks))
    say(right(asks))


def answers_early(asks):
    for _ in range(20):
        say(right(asks))


def long_line(asks):
    write(b'{"action": "' + b"x" * 10_000_000 + b'"}\n')


def endless_line(asks):
    while True:
        write(b"x" * 100_000)


def flood(asks):
    while True:
        write(b'{"action": 0}\n' * 10_000)


def flood_of_errors(asks):
    while True:
        print("x" * 10_000, file=sys.stderr)


# ---- Too little


def hang(asks):
    sleep_for_ever()


def slowly(asks):
    for byte in json.dumps(right(asks)).encode():
        write(bytes([byte]))
        time.sleep(0.1)


def half_a_line(asks):
    write(b'{"action": 3')
    sleep_for_ever()


def ignores_its_end(asks):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    sleep_for_ever()


def never_reads(asks):
    say(right(asks))
    sleep_for_ever()


# ---- The end


def exits(asks):
    sys.exit(generator.randrange(4))


def raises(asks):
    raise RuntimeError("the bot has a fault of its own \x1b[2J")


def kills_itself(asks):
    os.kill(os.getpid(), signal.SIGKILL)


def answers_and_exits(asks):
    say(right(asks))
    os._exit(0)


def closes_output(asks):
    os.close(1)
    sleep_for_ever()


def closes_input(asks):
    say(right(asks))
    os.close(0)
    sleep_for_ever()


def leaves_a_child(asks):
    if os.fork() == 0:
        sleep_for_ever()
    os._exit(1)


def leaves_a_child_far_away(asks):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork() == 0:
            sleep_for_ever()
        os._exit(0)
    os._exit(1)


def has_children_and_hangs(asks):
    for _ in range(3):
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            sleep_for_ever()
    sleep_for_ever()


QUICK = [
    illegal, unknown_name, numbers_as_text, fractions, truth_values, huge_integers, nothing_at_all, lists_of_actions,
    wrong_types, duplicates, other_games, games_by_text, some_missing, empty_line, empty_object, not_json, cut_off, garbage,
    invalid_utf8, zero_bytes, not_a_number, infinity, deep, deep_objects, digits, wide, debug_text,
]  # fmt: skip
UNASKED = [two_answers, answers_early]
ENDS = [exits, raises, kills_itself, closes_output, closes_input, leaves_a_child, leaves_a_child_far_away, answers_and_exits]
TOO_MUCH = [long_line, endless_line, flood]
LATE = [hang, slowly, half_a_line, ignores_its_end, never_reads, flood_of_errors, has_children_and_hangs]
KINDS = {kind.__name__: kind for kind in (*QUICK, *UNASKED, *ENDS, *TOO_MUCH, *LATE)}


def draw(chosen):
    """A kind; of all, those that cost no process more often."""
    if chosen == "all":
        return generator.choice(generator.choice([QUICK, QUICK, QUICK, QUICK, UNASKED, ENDS, TOO_MUCH, LATE]))
    return KINDS[generator.choice(chosen.split(","))]


def main(share, games, chosen):
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "protocol": 1, "games": games})
        elif message["type"] in ("ask", "refused"):
            if generator.random() < share:
                draw(chosen)(message["asks"])
            else:
                say(right(message["asks"]))


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
