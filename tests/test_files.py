"""Files are written whole or not at all, read up to a limit, and locked."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from cardtable.support import files


def full_disk(monkeypatch):
    """From now on, syncing a file says that there is no space."""

    def fsync(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fsync)


def test_a_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "file.txt"
    files.write_whole(path, "ä")
    assert path.read_bytes() == b"\xc3\xa4"
    files.write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


def test_a_full_disk_leaves_the_old_file_and_nothing_beside_it(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    path.write_text("old")
    full_disk(monkeypatch)
    with pytest.raises(OSError, match=r"No space left on device: '.*file\.txt'"):
        files.write_whole(path, "new")
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["file.txt"]


def test_a_file_that_happens_to_be_called_like_an_unfinished_one_is_left_alone(tmp_path):
    other = tmp_path / "file.txt.part"
    other.write_text("mine")
    files.write_whole(tmp_path / "file.txt", "new")
    assert other.read_text() == "mine"


def test_what_killed_processes_left_is_removed_and_nothing_else(tmp_path):
    left = tmp_path / ".file.txt.0123abcd.part"
    others = [tmp_path / name for name in (".file.txt.part", ".file.txt.0123abcg.part", "file.txt", ".other.0123abcd.part")]
    for path in (left, *others):
        path.touch()
    files.remove_parts(tmp_path, "*.txt")
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    files.write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_folder_that_may_be_written_but_not_read_is_written(tmp_path, monkeypatch):
    usual = os.open

    def refuse_folders(path, flags, *mode):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return usual(path, flags, *mode)

    monkeypatch.setattr(os, "open", refuse_folders)
    files.write_whole(tmp_path / "file.txt", "new")
    assert files.read_text(tmp_path / "file.txt", 10) == "new"


def test_permissions_stay(tmp_path):
    path = tmp_path / "file.txt"
    path.write_text("old")
    path.chmod(0o640)
    files.write_whole(path, "new")
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="there is no such device here")
def test_a_device_is_written_as_it_is():
    files.write_whole("/dev/null", "gone")
    assert not Path("/dev/null").is_file()


def test_a_folder_that_is_not_there_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"missing.*file\.txt"):
        files.write_whole(tmp_path / "missing" / "file.txt", "new")
    with pytest.raises(FileNotFoundError, match=r"missing.*file\.txt"):
        files.require_writable(tmp_path / "missing" / "file.txt")


def test_whether_a_file_can_be_written_is_known_before(tmp_path):
    path = tmp_path / "file.txt"
    files.require_writable(path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(IsADirectoryError):
        files.require_writable(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_a_write_protected_file_is_not_replaced():
    """As another user, in a folder where names may be changed: renaming alone would not ask."""
    with tempfile.TemporaryDirectory() as folder:  # that of pytest is closed to others
        os.chmod(folder, 0o777)
        path = Path(folder) / "file.txt"
        path.write_text("old")
        path.chmod(0o444)
        assert refusals_as_another_user(path) == 2
        assert path.read_text() == "old"


def refusals_as_another_user(path: Path) -> int:
    """How many of our ways to write a file are refused to a user who may change names in its folder."""
    child = os.fork()
    if not child:
        os.setuid(65534)
        refused = 0
        for attempt in (lambda: files.write_whole(path, "new"), lambda: files.require_writable(path)):
            try:
                attempt()
            except PermissionError:
                refused += 1
        os._exit(refused)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_new_path_is_one_where_nothing_is(tmp_path):
    path = tmp_path / "game.json"
    assert files.new_path(path) == path
    path.touch()
    (tmp_path / "game-2.json").symlink_to(tmp_path / "nowhere")
    assert files.new_path(path) == tmp_path / "game-3.json"


def test_a_file_is_read_up_to_a_limit(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"\xef\xbb\xbfabc")
    assert files.read_bytes(path, 6) == b"\xef\xbb\xbfabc"
    assert files.read_text(path, 6) == "abc"
    with pytest.raises(files.FileTooLarge, match=r"Larger than 5 bytes: '.*file\.txt'"):
        files.read_bytes(path, 5)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_pipes_and_devices_are_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="Not a regular file"):
            files.read_bytes(path, 10)
    with pytest.raises(IsADirectoryError):
        files.read_bytes(tmp_path, 10)


def test_one_can_ask_whether_a_lock_is_held_without_a_trace(tmp_path):
    path = tmp_path / "lock"
    assert not files.is_locked(path)
    assert not path.exists()
    with files.lock(path):
        before = path.stat()
        assert files.is_locked(path)
        assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert not files.is_locked(path)
    with files.lock(path):  # who asked holds nothing
        pass
    assert not files.is_locked(tmp_path)  # a folder


def test_a_lock_keeps_others_out(tmp_path):
    path, told = tmp_path / "lock", []
    with files.lock(path), pytest.raises(files.Locked, match="Locked by another process"), files.lock(path):
        pass
    with files.lock(path, lambda: told.append("waiting")):
        assert not told


HOLD = """
import sys, time
from pathlib import Path
from cardtable.support.files import lock
with lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(float(sys.argv[2]))
"""


def test_who_waits_for_a_lock_is_told_once_and_then_has_it(tmp_path):
    path, told = tmp_path / "lock", []
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path), "0.5"], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with files.lock(path, lambda: told.append("waiting")):
            assert told == ["waiting"]


def test_a_killed_process_holds_no_lock(tmp_path):
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path), "60"], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        other.kill()
        other.wait()
        with files.lock(path):
            pass


# ---- Adding to files, line by line


def test_what_is_added_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file.txt"
    path.write_text("one\n")
    files.append_whole(path, b"two\n")
    assert path.read_text() == "one\ntwo\n"
    full_disk(monkeypatch)
    with pytest.raises(OSError, match=r"No space left on device: '.*file\.txt'"):
        files.append_whole(path, b"three\n")
    assert path.read_text() == "one\ntwo\n"
    with pytest.raises(FileNotFoundError):
        files.append_whole(tmp_path / "none", b"x")


def test_lines_are_read_up_to_a_length(tmp_path):
    path = tmp_path / "file.txt"
    path.write_bytes(b"one\n\nfour\ncut")
    assert list(files.read_lines(path, 5)) == [b"one\n", b"\n", b"four\n", b"cut"]
    with pytest.raises(files.FileTooLarge, match="Larger than 4 bytes"):
        list(files.read_lines(path, 4))
    with pytest.raises(OSError, match="Not a regular file"):
        list(files.read_lines(os.devnull, 4))
