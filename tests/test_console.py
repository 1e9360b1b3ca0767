"""Commands end with their result, or with one line and an exit code."""

import errno
import os
import subprocess
import sys

import pytest

from cardtable.cli import console
from cardtable.errors import OptionError

PROGRAM = """
import sys
from cardtable.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
needs_full_disk = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device here")


@pytest.fixture(params=["buffered", "unbuffered"])
def environment(request):
    """Python fails when it prints, or only when it flushes what it has printed."""
    without = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**without, "PYTHONUNBUFFERED": "1"} if request.param == "unbuffered" else without


def python(*arguments, **streams):
    return subprocess.run([sys.executable, *arguments], stderr=subprocess.PIPE, text=True, check=False, timeout=300, **streams)


def raising(error):
    def command():
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (OptionError("max_turns=0"), 2, "tool: max_turns=0"),
        (
            FileNotFoundError(errno.ENOENT, "No such file or directory", "game.json"),
            2,
            "tool: game.json: No such file or directory",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "tool: No space left on device"),
        (OSError("something else"), 2, "tool: something else"),
        (BrokenPipeError(errno.EPIPE, "Broken pipe"), 2, "tool: Broken pipe"),  # of another process: our own output is open
        (MemoryError(), 2, "tool: not enough memory"),
        (KeyboardInterrupt(), 130, "tool: interrupted"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_what_goes_wrong_is_one_line_and_a_code(error, code, line, capsys):
    assert console.run("tool", raising(error)) == code
    assert capsys.readouterr().err == f"{line}\n"


def test_results_and_mistakes_pass_through():
    assert console.run("tool", lambda: None) == 0
    assert console.run("tool", lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        console.run("tool", raising(ZeroDivisionError()))
    with pytest.raises(SystemExit):
        console.run("tool", raising(SystemExit(3)))


@pytest.mark.skipif(os.name == "nt", reason="streams are closed in another way there")
@pytest.mark.parametrize(
    ("command", "code"),
    [("games >&-", 0), ("rules nosuch >&-", 2), ("rules nosuch 2>&-", 2), ("games >&- 2>&- <&-", 0)],
)
def test_streams_that_are_closed_from_the_beginning_are_no_error(command, code):
    line = f'"$0" -c "$1" {command}'
    done = subprocess.run(["sh", "-c", line, sys.executable, PROGRAM], capture_output=True, text=True, check=False, timeout=300)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["random", "muster", "-o", "max_turns=" + "[" * 20_000],
        ["signature", "muster", "--games", "9" * 20],
        ["random", "muster", "--games", "9" * 5000],
        ["random", "muster", "--games", "-1"],
        ["arena", "muster", "random", "--load", ""],
        ["arena", "muster", "random", "--load", ".x"],
        ["arena", "muster", "random", "--load", ".."],
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_strange_arguments_are_refused_in_one_line(arguments):
    done = python("-c", PROGRAM, *arguments)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert len(done.stderr.splitlines()[-1]) < 1000


@needs_full_disk
@pytest.mark.parametrize("arguments", [["games"], ["--version"], ["rules", "muster"]], ids=" ".join)
def test_a_full_disk_behind_the_output_is_one_line(arguments, environment):
    with open("/dev/full", "w") as full:
        done = python("-c", PROGRAM, *arguments, stdout=full, env=environment)
    assert done.stderr == "cardtable: standard output: No space left on device\n"
    assert done.returncode == 2


@needs_full_disk
def test_an_error_that_nobody_can_be_told_of_is_still_an_exit_code(environment):
    command = [sys.executable, "-c", PROGRAM, "random", "chess"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=full, check=False, env=environment)
    assert done.returncode == 2


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed in another way there")
@pytest.mark.parametrize("arguments", [["games"], ["--help"], ["rules", "muster"]], ids=" ".join)
def test_a_closed_pipe_ends_a_command_without_a_word(arguments, environment):
    reading, writing = os.pipe()
    os.close(reading)
    done = python("-c", PROGRAM, *arguments, stdout=writing, env=environment)
    os.close(writing)
    assert (done.returncode, done.stderr) == (console.CLOSED, "")


def test_a_character_that_the_terminal_cannot_show_is_replaced():
    program = "import sys; from cardtable.cli import console; sys.exit(console.run('tool', lambda: print('a · b')))"
    done = python("-c", program, stdout=subprocess.PIPE, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stdout, done.stderr) == (0, "a \\xb7 b\n", "")


@needs_full_disk
@pytest.mark.parametrize("command", ["tools.prove --help", "tools.attack --help", "benchmarks.compare --help"])
def test_the_other_command_lines_end_in_the_same_way(command, environment):
    with open("/dev/full", "w") as full:
        done = python("-m", *command.split(), stdout=full, env=environment)
    module = command.partition(" ")[0]
    assert done.stderr == f"python -m {module}: standard output: No space left on device\n"
    assert done.returncode == 2
