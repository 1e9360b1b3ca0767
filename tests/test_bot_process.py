"""A bot's process: whatever the program does, calls return in time, memory is bounded, and no process is left."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from cardtable.bots import process
from cardtable.bots.faults import CLOSED, ENDED, FLOOD, LATE, TOO_LONG, Fault, quoted
from cardtable.bots.process import BotProcess, split_command
from cardtable.errors import AgentError

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")


def python(code, mark=""):
    """The command of a Python program that starts quickly; the mark is how its processes are found."""
    return shlex.join([sys.executable, "-I", "-S", "-c", code, mark])


def processes(mark):
    """The processes whose command holds a mark."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
        except OSError:  # it has ended
            continue
    return found


def gone(mark, seconds=10):
    """Whether all processes with a mark end within some seconds."""
    deadline = time.monotonic() + seconds
    while processes(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def mark():
    return uuid.uuid4().hex


ECHO = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)"


def test_lines_go_to_and_fro(mark):
    bot = BotProcess(python(ECHO, mark))
    for line in (b"one", b"", b"\xff\0", b"x" * 1_000_000):
        if line != b"\xff\0":
            bot.send(line + b"\n")
            assert bot.receive(30) == line
    assert len(processes(mark)) == 2
    bot.close()
    assert processes(mark) == []


def test_no_shell_is_run(mark, tmp_path):
    bot = BotProcess(["echo", "$HOME; *", f"&& touch {tmp_path}/x", mark])
    assert bot.receive(30) == f"$HOME; * && touch {tmp_path}/x {mark}".encode()
    bot.end()


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "expected a command"),
        ("   ", "expected a command"),
        ("''", "expected a command"),
        ("a\0b", "expected a command"),
        ("x" * 20_000, "expected a command"),
        ("'./mybot", "no closing quotation"),
        ("no-such-program-anywhere --level 3", "there is no program 'no-such-program-anywhere'"),
        ("/etc/passwd", "there is no program '/etc/passwd' that can be run"),
    ],
)
def test_what_is_no_command_is_refused(command, message):
    with pytest.raises(AgentError, match=message) as caught:
        split_command(command)
    assert len(str(caught.value)) < 300


def test_a_program_that_the_system_cannot_run_says_so(tmp_path):
    path = tmp_path / "bot"
    path.write_bytes(b"\x7fELF nonsense")
    path.chmod(0o755)
    bot = BotProcess([str(path)])
    with pytest.raises(Fault, match=r"could not be started.*Exec format error"):
        bot.receive(30)
    bot.end()


FAULTS = {
    "hangs": ("import time; time.sleep(1000)", LATE, "no answer in time"),
    "exits": ("import sys; print('sorry', file=sys.stderr); sys.exit(3)", ENDED, "exit code 3; its last words: sorry"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", ENDED, "SIGKILL"),
    "closes its output": ("import os, time; os.close(1); time.sleep(1000)", CLOSED, "closed its output"),
    "never ends its line": ("import sys\nwhile True: sys.stdout.write('x' * 1000)", TOO_LONG, "more than"),
    "ends half a line": ("print('half', end='')", ENDED, "exit code 0"),
    "is slow": (
        "import sys, time\nwhile True: sys.stdout.write('x'); sys.stdout.flush(); time.sleep(0.01)",
        LATE,
        "no answer in time",
    ),
    "floods its errors": ("import sys\nwhile True: print('x' * 1000, file=sys.stderr)", LATE, "no answer in time"),
    "leaves a child with its pipes": (
        "import os, time\nif os.fork() == 0:\n    time.sleep(1000)\nos._exit(5)",
        ENDED,
        "exit code 5",
    ),
    "leaves a child in another session": (
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\nos._exit(5)",
        ENDED,
        "exit code 5",
    ),
    "does not want to end": (
        "import signal, time\nfor n in range(1, 20):\n    try: signal.signal(n, signal.SIG_IGN)\n    except OSError: pass\n"
        "while True: time.sleep(1)",
        LATE,
        "no answer in time",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_and_no_process_is_left(fault, mark):
    code, reason, detail = FAULTS[fault]
    bot = BotProcess(python(code, mark))
    with pytest.raises(Fault, match=detail) as caught:
        bot.receive(0.5 if reason == LATE else 30)
    assert caught.value.reason == reason
    assert len(caught.value.line) <= 200
    assert len(bot._read) <= process.LONGEST_LINE + process.CHUNK
    assert len(bot.errors) <= 8 * process.ERRORS_KEPT
    bot.end()
    assert processes(mark) == []


def test_a_bot_that_closes_its_input_is_known(mark):
    bot = BotProcess(python("import os, time; os.close(0); print('closed', flush=True); time.sleep(1000)", mark))
    assert bot.receive(30) == b"closed"
    bot.send(b"are you there?\n")
    with pytest.raises(Fault, match="closed its input"):
        bot.receive(30)
    bot.end()


def test_a_bot_that_does_not_read_does_not_stop_us(mark):
    bot = BotProcess(python("import time; time.sleep(1000)", mark))
    for _ in range(10):
        bot.send(b"x" * 1_000_000 + b"\n")
    with pytest.raises(Fault, match="no answer in time"):
        bot.receive(0.2)
    bot.end()
    assert processes(mark) == []


def test_what_nobody_asked_for_is_dropped_within_limits(mark):
    bot = BotProcess(python("print('one\\ntwo', flush=True)\nfor line in open(0): print(line, end='', flush=True)", mark))
    assert bot.receive(30) == b"one"
    assert bot.drop_unasked().startswith(b"two")
    bot.send(b"three\n")
    assert bot.receive(30) == b"three"
    bot.end()
    bot = BotProcess(python("while True: print('y' * 1000)", mark))
    assert bot.receive(30) == b"y" * 1000
    with pytest.raises(Fault, match="goes on writing") as caught:
        bot.drop_unasked()
    assert caught.value.reason == FLOOD
    bot.end()
    assert processes(mark) == []


def test_one_that_stays_is_ended_after_a_second(mark):
    bot = BotProcess(
        python("import signal, time; signal.signal(15, signal.SIG_IGN); print(1, flush=True); time.sleep(99)", mark)
    )
    bot.receive(30)
    bot.close()
    assert processes(mark) == []
    bot.close()  # once more is allowed
    bot.end()


def test_a_bot_that_is_forgotten_is_ended(mark):
    bot = BotProcess(python(ECHO, mark))
    bot.send(b"x\n")
    bot.receive(30)
    del bot
    assert processes(mark) == []


OURS = """
import sys, time
from cardtable.bots.process import BotProcess
bots = [BotProcess([sys.executable, "-I", "-S", "-c", code, sys.argv[1]]) for code in sys.argv[2:]]
print(*(bot.receive(60).decode() for bot in bots), flush=True)
time.sleep(1000 if sys.stdin.readline() == "wait\\n" else 0)
"""
LEAVES_CHILDREN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    print("child", flush=True)
time.sleep(1000)
"""


@pytest.mark.parametrize("ending", [None, signal.SIGTERM, signal.SIGKILL])
def test_bots_end_with_us_however_we_end(mark, ending):
    """At our usual end, and when we are killed: the bot, and a child of it that ignores signals in another session."""
    with subprocess.Popen(
        [sys.executable, "-c", OURS, mark, LEAVES_CHILDREN, "print('here', flush=True); import time; time.sleep(1000)"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as ours:
        assert ours.stdout.readline() == "child here\n"
        assert len(processes(mark)) == 6  # we, two guardians, two bots, a child
        ours.stdin.write("wait\n" if ending else "end\n")
        ours.stdin.flush()
        if ending:
            ours.send_signal(ending)
    assert gone(mark)


def test_a_guardian_that_is_killed_takes_its_bot_with_it(mark):
    bot = BotProcess(python("print(1, flush=True); import time; time.sleep(1000)", mark))
    bot.receive(30)
    bot._guardian.kill()
    assert gone(mark) or sys.platform != "linux"
    bot.end()


def test_quotes_can_be_shown():
    line = quoted(b"\x1b[2Jred\r\xff" + "é".encode() + b"\xed\xa0\x80" + b"x" * 10_000)
    assert len(line) <= 200
    assert line.isprintable()
    assert re.match(r"\\x1b\[2Jred\\r.é", line)
