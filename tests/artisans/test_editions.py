"""Editions: the built-in one, and edition files (ART-10, ART-11)."""

import copy
import tomllib

import pytest

from artisans_env.components import BUILT_IN_EDITION, MATERIALS, edition_of
from artisans_env.env import EXAMPLE_EDITION, GAME
from cardtable.errors import EditionError, StateError
from cardtable.replay import Replay
from cardtable.table import Table

from .positions import legal, open_game, play

pytestmark = pytest.mark.rules


def toml_of(content):
    """An edition's content as a TOML text."""
    lines = []
    for entry in content["object"]:
        requires = ", ".join(f"{material} = {level}" for material, level in entry["requires"].items())
        lines += ["[[object]]", f"name = {entry['name']!r}", f"points = {entry['points']}", f"requires = {{ {requires} }}", ""]
    return "\n".join(lines)


@pytest.fixture
def content():
    return copy.deepcopy(BUILT_IN_EDITION.plain())


@pytest.mark.clause("ART-11.1")
def test_the_built_in_edition_written_to_a_file_is_read_back(tmp_path, content):
    path = tmp_path / "real cards.toml"
    path.write_text(toml_of(content), encoding="utf-8")
    assert edition_of(path).objects == BUILT_IN_EDITION.objects
    assert edition_of(str(path)).objects == BUILT_IN_EDITION.objects


@pytest.mark.clause("ART-11.1")
def test_object_ids_are_the_order_of_the_file():
    names = [entry["name"] for entry in tomllib.loads(EXAMPLE_EDITION.read_text(encoding="utf-8"))["object"]]
    table = open_game(edition=EXAMPLE_EDITION)
    assert list(table.state_dict()["points"]) == names
    assert table.record.required[0, MATERIALS.index("textile")] == 1
    assert edition_of("reconstruction").names()[:2] == ("Lantern", "Beaded veil")
    assert edition_of("reconstruction").names()[10:12] == ("Gate", "Tapestry loom")


@pytest.mark.clause("ART-11.1")
def test_an_edition_is_played_with_its_own_names_and_numbers():
    table = open_game(edition=EXAMPLE_EDITION)
    assert "example_edition.toml" in table.text()
    assert "reconstruction" not in table.text()
    assert set(table.state_dict()["row"].values()) < set(edition_of(EXAMPLE_EDITION).names())
    deck = [*table.state_dict()["row"].values(), *table.state_dict()["deck_1"][::-1]]
    again = open_game(edition=EXAMPLE_EDITION, deal={"deck_1": deck[::-1]})
    assert list(again.state_dict()["row"].values()) == deck[::-1][:4]


@pytest.mark.clause("ART-11.1")
def test_states_and_replays_of_an_edition_need_no_file():
    table = open_game(edition=EXAMPLE_EDITION)
    play(table, legal(table)[0], "take token", "pass")
    assert Replay.from_json(Replay.of(table).to_json()).verify().state_hash() == table.state_hash()
    twin = Table(GAME, GAME.parse_options(table.options.to_dict()))
    twin.load_state_dict(table.state_dict())
    assert twin.state_bytes() == table.state_bytes()
    with pytest.raises(StateError, match="Textile and clay"):
        open_game().load_state_dict(table.state_dict())


def spoil(content, number, **change):
    content["object"][number - 1].update(change)


FAULTS = [
    (lambda c: c["object"].pop(), r"expected 24 \[\[object\]\] tables, found 23"),
    (lambda c: c["object"].append(c["object"][0]), r"expected 24 \[\[object\]\] tables, found 25"),
    (lambda c: c.update(object="none"), r"expected 24 \[\[object\]\] tables, found "),
    (lambda c: c.update(author="me"), r"unknown keys \['author'\]"),
    (lambda c: c.pop("object"), r"missing keys \['object'\]"),
    (lambda c: c["object"].__setitem__(3, 5), "object 4: 5 is not a table"),
    (lambda c: spoil(c, 3, colour="red"), r"object 3 \('Icon'\): unknown keys \['colour'\]"),
    (lambda c: c["object"][2].pop("points"), r"object 3 \('Icon'\): unknown keys \[\], missing keys \['points'\]"),
    (lambda c: spoil(c, 5, name=""), r"object 5 \(''\): name = '' is not a non-empty text"),
    (lambda c: spoil(c, 5, name=7), "object 5: name = 7 is not a non-empty text"),
    (lambda c: spoil(c, 5, name="Icon"), r"object 5 \('Icon'\): object 3 has the same name"),
    (lambda c: spoil(c, 1, points=8), r"object 1 \('Lantern'\): points = 8, allowed: integers from 3 to 7"),
    (lambda c: spoil(c, 1, points=True), "points = True"),
    (lambda c: spoil(c, 1, points=3.0), r"points = 3\.0"),
    (lambda c: spoil(c, 1, requires=["clay"]), "requires = .'clay'. is not a table"),
    (lambda c: spoil(c, 1, requires={"clay": 1, "paper": 1}), r"object 1 \('Lantern'\): requires 'paper', which is not one of"),
    (lambda c: spoil(c, 1, requires={"clay": 1, "wood": 5}), r"requires wood = 5, allowed: integers from 1 to 4"),
    (lambda c: spoil(c, 1, requires={"clay": 0, "wood": 1}), "requires clay = 0"),
    (lambda c: spoil(c, 1, requires={"clay": 1}), r"object 1 \('Lantern'\): requires: expected 2 materials or more, found 1"),
    (lambda c: spoil(c, 24, points=6), r"expected 4 objects of 7 points or more \(ART-2\.2\), found 3"),
]


@pytest.mark.clause("ART-11.1")
@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[said for _, said in FAULTS])
def test_a_wrong_edition_is_refused_with_the_entry_and_the_fault(content, change, said):
    change(content)
    with pytest.raises(EditionError, match=said):
        GAME.parse_options({"edition": content})


@pytest.mark.clause("ART-11.1")
def test_files_that_cannot_be_read_are_refused_by_name(tmp_path):
    wrong, binary, large = tmp_path / "wrong.toml", tmp_path / "binary.toml", tmp_path / "large.toml"
    wrong.write_text("[[object]\n", encoding="utf-8")
    binary.write_bytes(b"\xff\xfe\x00")
    large.write_text("#" * 1_000_001, encoding="utf-8")
    for path, said in (
        (wrong, "cannot be read"),
        (binary, "cannot be read"),
        (large, "larger than"),
        (tmp_path, "no such file"),
    ):
        with pytest.raises(EditionError, match=f"{path.name}.*{said}"):
            GAME.parse_options({"edition": path})
    with pytest.raises(EditionError, match="no such file; allowed: 'reconstruction' or the path"):
        GAME.parse_options({"edition": "official"})
    for value in (None, 3, ["a"]):
        with pytest.raises(EditionError, match=r"artisans_v0: edition=.*allowed: 'reconstruction'"):
            GAME.parse_options({"edition": value})
