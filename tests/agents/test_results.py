"""The file of results: what is not as it was written is refused with the number of its line, and nothing is changed."""

import errno
import json
import os

import pytest
from cardtable_agents.arena import results
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.results import open_results, read_results, sealed
from cardtable_agents.arena.tournament import run
from helpers import SALT

from cardtable.errors import AgentError

PLAN = make_plan("muster", {"max_turns": 30}, ("random", "heuristic"), seed=4)
GAMES = 6


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A file of results, line by line."""
    folder = tmp_path_factory.mktemp("arena")
    run(PLAN, GAMES, folder, salt=SALT)
    return (folder / "games.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.jsonl"


def refused(path, lines, message):
    """The file is refused, by who reports and by who would write, with one line; it stays as it is."""
    data = b"".join(lines)
    path.write_bytes(data)
    for attempt in (lambda: read_results(path, PLAN), lambda: run(PLAN, GAMES, path.parent)):
        with pytest.raises(AgentError, match=message) as caught:
            attempt()
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 1000
    assert path.read_bytes() == data


def game_of(line):
    """What a line tells of its game."""
    fields = json.loads(line)
    del fields["check"]
    return fields


def forged(line, header, **changes):
    """A line of a game with other fields and a correct checksum."""
    return sealed(game_of(line) | changes, results._digest(header))


def test_a_file_is_a_header_and_a_line_for_each_game(content):
    header, *games = map(json.loads, content)
    assert header["format"] == "cardtable arena 3"
    assert header["agents"] == ["random", "heuristic"]
    assert header["salt"] == SALT
    assert {(tuple(game["agents"]), game["deal"]) for game in games} == {
        (seating, deal) for seating in (("random", "heuristic"), ("heuristic", "random")) for deal in range(3)
    }
    assert len({game["check"] for game in games}) == GAMES
    assert all("seconds" not in game for game in games)


@pytest.mark.parametrize("number", [1, 2, GAMES + 1])
def test_every_flipped_bit_is_found(content, path, number):
    line = content[number - 1]
    for place in range(len(line) - 1):
        flipped = bytearray(line)
        flipped[place] ^= 1 << place % 7
        if flipped[place] in b"\n":
            continue
        path.write_bytes(b"".join([*content[: number - 1], bytes(flipped), *content[number:]]))
        with pytest.raises(AgentError, match=f"line {number}|its format is|holds games of another plan"):
            read_results(path, PLAN)


def test_a_header_that_does_not_end_is_refused(content, path):
    refused(path, [content[0].removesuffix(b"\n")], "line 1 is incomplete")


@pytest.mark.parametrize("seconds", [[-5.0, 0.1], [float("nan"), 0.1], [0.1]])
def test_what_could_not_be_read_again_is_not_written(content, path, seconds):
    path.write_bytes(b"".join(content))
    game = game_of(content[1])
    with open_results(path.parent, PLAN) as writer, pytest.raises(AgentError, match="a game is not written"):
        writer.append([game | {"deal": 99, "seconds": seconds}])
    assert path.read_bytes() == b"".join(content)


def test_games_that_are_there_twice_are_refused(content, path):
    refused(path, [*content, content[2]], rf"line {GAMES + 2} is damaged: the same game as in line 3: .*deal \d")


def test_lines_of_another_file_are_refused(content, path, tmp_path):
    run(PLAN, 2, tmp_path / "other")
    line = (tmp_path / "other" / "games.jsonl").read_bytes().splitlines(keepends=True)[1]
    refused(path, [*content[:-1], line], f"line {GAMES + 1} is damaged: its checksum does not match")


# ---- Times


@pytest.fixture
def times(content, path):
    """A file of results with the file of its times."""
    path.write_bytes(b"".join(content))
    with open_results(path.parent, PLAN) as writer:
        writer.append([game_of(content[1]) | {"deal": 90 + number, "seconds": [0.25, number]} for number in range(3)])
    return path.with_name("times.jsonl")


def seconds_in(path):
    return [game["seconds"] for game in read_results(path, PLAN).games if "seconds" in game]


def test_times_are_beside_the_games_and_may_be_lost(times, path):
    games = path.read_bytes()
    assert b"seconds" not in games
    assert seconds_in(path) == [[0.25, 0], [0.25, 1], [0.25, 2]]
    lines = times.read_bytes().splitlines(keepends=True)
    times.write_bytes(lines[2] + lines[0] + lines[1][:-20])  # killed while it was written
    assert seconds_in(path) == [[0.25, 0], [0.25, 2]]
    with open_results(path.parent, PLAN):
        assert times.read_bytes() == lines[2] + lines[0]
    times.unlink()
    assert seconds_in(path) == []
    assert len(run(PLAN, GAMES, path.parent)) == GAMES + 3
    assert times.read_bytes() == b""
    assert path.read_bytes() == games


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line, digest: line.replace(b"0.25", b"0.35"), "its checksum does not match"),
        (lambda line, digest: b"\n", "it does not end with a checksum"),
        (lambda line, digest: sealed(game_of(line) | {"seconds": [-1, 0]}, digest), "expected one time per seat"),
        (lambda line, digest: sealed(game_of(line) | {"seconds": [1]}, digest), "expected one time per seat"),
        (lambda line, digest: sealed(game_of(line) | {"seconds": None}, digest), "expected one time per seat"),
        (lambda line, digest: sealed(game_of(line) | {"agents": ["me"]}, digest), "is not a seating"),
        (lambda line, digest: sealed(game_of(line) | {"more": 1}, digest), "its keys are not agents, deal, seconds"),
        (lambda line, digest: sealed(game_of(line), ""), "its checksum does not match"),
    ],
)
def test_times_that_are_not_as_they_were_written_are_refused(times, path, damage, message):
    first, second, third = times.read_bytes().splitlines(keepends=True)
    digest = results._digest(path.read_bytes().splitlines(keepends=True)[0])
    times.write_bytes(first + damage(second, digest) + third)
    before = path.read_bytes()
    for attempt in (lambda: read_results(path, PLAN), lambda: run(PLAN, GAMES, path.parent)):
        with pytest.raises(
            AgentError, match=rf"times\.jsonl: line 2 is damaged: .*{message}.*only the time that it tells is lost"
        ):
            attempt()
    assert path.read_bytes() == before


def test_times_of_somebody_else_are_left_alone(path):
    path.with_name("times.jsonl").write_text("10:15 to the station")
    with pytest.raises(AgentError, match=r"holds a times\.jsonl but no arena results"):
        run(PLAN, GAMES, path.parent)
    assert not path.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"agents": ["random", "random"]}, "is not a seating of this plan"),
        ({"agents": ["random"]}, "is not a seating of this plan"),
        ({"agents": [["random"], "heuristic"]}, "is not a seating of this plan"),
        ({"agents": "random"}, "'random' is not a seating of this plan"),
        ({"deal": -1}, "-1 is not the number of a deal"),
        ({"deal": True}, "True is not the number of a deal"),
        ({"deal": 1.0}, "1.0 is not the number of a deal"),
        ({"deal": 2**64}, "is not the number of a deal"),
        ({"deal": "1"}, "'1' is not the number of a deal"),
        ({"ending": "goes_on"}, "its ending"),
        ({"ending": None}, "its ending"),
        ({"returns": [1.0]}, "expected one number per seat"),
        ({"returns": [1.0, -1.0, 0.0]}, "expected one number per seat"),
        ({"returns": [float("nan"), 0.0]}, "expected one number per seat"),
        ({"returns": [float("inf"), 0.0]}, "expected one number per seat"),
        ({"returns": [10**400, 0]}, "expected one number per seat"),
        ({"returns": ["1", "-1"]}, "expected one number per seat"),
        ({"returns": [True, False]}, "expected one number per seat"),
        ({"returns": {"0": 1, "1": 2}}, "expected one number per seat"),
        ({"scores": None}, "expected one number per seat"),
        ({"decisions": [1.5, 2]}, "not counts"),
        ({"decisions": [-1, 2]}, "not counts"),
        ({"seconds": [1.0, 2.0]}, "its keys are not"),
        ({"replay": 3}, "replay"),
        ({"extra": 3}, "its keys are not"),
    ],
)
def test_lines_that_do_not_fit_the_plan_are_refused(content, path, changes, message):
    """Even with a correct checksum."""
    refused(path, [*content[:2], forged(content[2], content[0], **changes), *content[3:]], f"line 3 is damaged: .*{message}")


def test_headers_of_other_plans_and_formats_are_refused(content, path):
    header = {key: value for key, value in json.loads(content[0]).items() if key != "check"}
    refused(path, [sealed(header | {"seed": 5}), *content[1:]], r"another plan \(different: seed\)")
    refused(path, [sealed(header | {"salt": "1"}), *content[1:]], "line 1: salt '1': allowed: 32")
    old = {"format": "cardtable arena 1", "game": "muster_v0"}
    refused(
        path, [json.dumps(old).encode() + b"\n", *content[1:]], r"its format is 'cardtable arena 1', this version .* arena 3'"
    )
    refused(path, content[1:], "not a results file, or damaged: line 1")


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", b"[1]\nnonsense\n", b"\xff\xfe\x00", b"[" * 100_000, b"{" * 900_000 + b"\n", b"x" * 2_000_000, b"\0" * 5000],
    ids=["empty", "newline", "list", "binary", "deep", "deep line", "long", "zeros"],
)
def test_files_that_are_none_are_refused(path, data):
    refused(path, [data], "not a results file")


def test_a_pipe_or_folder_is_no_file_of_results(path):
    path.mkdir()
    with pytest.raises(OSError, match=r"games\.jsonl"):
        run(PLAN, GAMES, path.parent)


def test_a_line_that_a_kill_cut_off_is_dropped_by_who_writes_only(content, path):
    whole, line = b"".join(content[:-1]), content[-1]
    for length in (1, 5, 12, 40, len(line) - 1):
        path.write_bytes(whole + line[:length])
        assert len(read_results(path, PLAN).games) == GAMES - 1
        assert path.read_bytes() == whole + line[:length]
        with open_results(path.parent, PLAN) as writer:
            assert len(writer.games) == GAMES - 1
        assert path.read_bytes() == whole


@pytest.mark.parametrize(
    "tail", [b"nonsense", b'{"agents": ["random"\0', b'{"agents": ["random", \xff', b'{"deal": 3', b"\0\0\0"]
)
def test_an_end_that_no_kill_has_left_is_refused(content, path, tail):
    refused(path, [*content, tail], f"line {GAMES + 2} is damaged: it is incomplete")


def test_a_full_disk_leaves_whole_lines(path, monkeypatch, content):
    path.write_bytes(b"".join(content[:3]))

    def fsync(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_results(path.parent, PLAN) as writer:
        monkeypatch.setattr(os, "fsync", fsync)
        with pytest.raises(OSError, match=r"No space left on device: '.*games\.jsonl'"):
            writer.append([game_of(content[3])])
    assert path.read_bytes() == b"".join(content[:3])
    monkeypatch.undo()
    assert len(run(PLAN, GAMES, path.parent)) == GAMES


def test_a_file_that_is_too_large_for_the_disk_keeps_whole_lines(content, path):
    """The system writes a part of the line and says so."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    path.write_bytes(b"".join(content[:3]))
    size, before = path.stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with open_results(path.parent, PLAN) as writer:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, before[1]))
            with pytest.raises(OSError, match=r"File too large: '.*games\.jsonl'"):
                writer.append([game_of(content[3])])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == b"".join(content[:3])
