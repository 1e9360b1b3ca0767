"""Edition files, whatever is in them, are read or refused at once, in little memory, with a short message."""

import subprocess
import sys
from pathlib import Path

import pytest
from helpers import VARIANTS, variant_id

from cardtable.errors import EditionError
from cardtable.game.editions import LARGEST_FILE, MOST_DOTS
from cardtable.game.registry import find

EDITIONS = [(game_id, options["edition"]) for game_id, options in VARIANTS if "edition" in options]
CARDS = {"artisans_v0": "object", "murano_v0": "creations"}
"""What an edition calls its list of cards."""
LONGEST_MESSAGE = 1000


def dotted(number, last="b"):
    return ".".join(["a"] * number + [last])


HOSTILE = {
    "one dotted key": dotted(LARGEST_FILE // 2 - 10) + " = 1",
    "one dotted header": f"[{dotted(LARGEST_FILE // 2 - 10)}]",
    "keys under a deep header": f"[{dotted(MOST_DOTS)}]\n" + "".join(f"k{number} = 1\n" for number in range(5500)),
    "many dotted keys": "".join(f"{dotted(MOST_DOTS, f'k{number}')} = 1\n" for number in range(290)),
    "many dotted headers": "".join(f"[{dotted(MOST_DOTS, f'k{number}')}]\n" for number in range(290)),
    "nested lists": "a = " + "[" * 60_000,
    "nested tables": "a = " + "{a = " * 12_000,
    "many tables": "[[object]]\n" * 4600,
    "many keys": "".join(f"k{number} = 1\n" for number in range(5500)),
    "a long name": "[[object]]\nname = '" + "x" * 60_000 + "'\n",
    "a long integer": "object = 0x" + "f" * 60_000,
    "a long decimal": "object = " + "9" * 60_000,
    "a long list": "object = [" + "1," * 30_000 + "]",
    "a long text": "object = '''" + "x" * 60_000 + "'''",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("game_id", ["artisans", "murano"])
def test_a_hostile_edition_is_refused_with_a_short_message(game_id, name, tmp_path):
    path = tmp_path / "edition.toml"
    path.write_text(HOSTILE[name].replace("object", "creations") if game_id == "murano" else HOSTILE[name], encoding="utf-8")
    assert path.stat().st_size <= LARGEST_FILE
    with pytest.raises(EditionError, match=r"edition\.toml") as caught:
        find(game_id).parse_options({"edition": path})
    assert len(str(caught.value)) < LONGEST_MESSAGE


READ_ALL = """
import resource, sys
from pathlib import Path
from cardtable.errors import EditionError
from cardtable.game.registry import find
game, before = find("artisans"), resource.getrusage(resource.RUSAGE_SELF)
for path in Path(sys.argv[1]).iterdir():
    try:
        game.parse_options({"edition": path})
    except EditionError:
        pass
after = resource.getrusage(resource.RUSAGE_SELF)
print((after.ru_maxrss - before.ru_maxrss) // 1024, after.ru_utime - before.ru_utime)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units there")
def test_hostile_editions_take_little_memory_and_time(tmp_path):
    """One dotted key of 100 kB took 6 GB and 100 s."""
    for name, text in HOSTILE.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    (tmp_path / "large.toml").write_text(dotted(50_000) + " = 1", encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", READ_ALL, str(tmp_path)], capture_output=True, text=True, check=True)
    megabytes, seconds = map(float, done.stdout.split())
    assert megabytes < 300
    assert seconds < 60


@pytest.mark.parametrize(("game_id", "path"), EDITIONS, ids=variant_id)
def test_a_byte_order_mark_and_windows_line_ends_are_read(game_id, path, tmp_path):
    game, other = find(game_id), tmp_path / Path(path).name
    other.write_bytes(b"\xef\xbb\xbf" + Path(path).read_bytes().replace(b"\n", b"\r\n"))
    assert game.parse_options({"edition": other}) == game.parse_options({"edition": path})


@pytest.mark.parametrize(("game_id", "path"), EDITIONS, ids=variant_id)
@pytest.mark.parametrize(
    ("name", "said"),
    [("x" * 81, "81 characters, allowed: 80"), ("a\x1b[2Jb", "control characters"), ("\ud800", "control characters")],
    ids=["long", "escape", "surrogate"],
)
def test_a_name_that_cannot_be_shown_is_refused(game_id, path, name, said):
    game = find(game_id)
    content = game.parse_options({"edition": path}).cards.plain()
    content[CARDS[game_id]][4]["name"] = name
    with pytest.raises(EditionError, match=said):
        game.parse_options({"edition": content})


def deep(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


BIG = {"deep": deep(10_000), "integer": 10**6000, "text": "x" * 10**6, "list": list(range(10**5)), "dict": {"a": deep(5000)}}


@pytest.mark.parametrize("kind", BIG)
@pytest.mark.parametrize(("game_id", "path"), EDITIONS, ids=variant_id)
def test_plain_data_of_any_size_gets_a_short_message(game_id, path, kind):
    game, value = find(game_id), BIG[kind]
    plain = game.parse_options({"edition": path}).cards.plain()
    wrong = [{"edition": {**plain, key: value}} for key in plain] + [{"edition": {"x": value}}]
    wrong += [{"edition": value}] if not isinstance(value, str) else [{"edition": value[:3000]}]
    cards = CARDS[game_id]
    for key in plain[cards][0]:
        entries = [{**plain[cards][0], key: value}, *plain[cards][1:]]
        wrong.append({"edition": {**plain, cards: entries}})
    for options in wrong:
        with pytest.raises(EditionError) as caught:
            game.parse_options(options)
        assert len(str(caught.value)) < LONGEST_MESSAGE
