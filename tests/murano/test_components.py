"""The cards and the board by name, and edition files (MUR-1, MUR-13)."""

from collections import Counter

import pytest

from cardtable.errors import EditionError, StateError
from cardtable.replay import Replay
from cardtable.table import Table
from murano_env.components import ADVANTAGES, BUILT_IN_EDITION, CATEGORY_NAMES, CHALLENGE_COPIES, edition_of
from murano_env.env import EXAMPLE_EDITION, GAME

from .positions import CIRCLE, RINGS, edition, hand, legal, lira, open_game, play, position

pytestmark = pytest.mark.rules


# ---- 1 Components


@pytest.mark.clause("MUR-1.2")
def test_a_creation_has_four_coloured_shards_and_one_or_two_categories():
    assert len(BUILT_IN_EDITION.creations) == 24
    for each in BUILT_IN_EDITION.creations:
        assert len(each.recipe) == 4
        assert "transparent" not in each.recipe
        assert 1 <= len(set(each.categories)) == len(each.categories) <= 2
        assert set(each.categories) <= {"art", "jewels", "tableware", "animals"}


@pytest.mark.clause("MUR-1.3")
def test_there_are_twenty_advantages_and_ten_challenge_cards():
    assert len(set(ADVANTAGES)) == 16 + 4
    assert ADVANTAGES[0] == "present"
    assert ADVANTAGES[15:17] == ("visionary", "authoritarian")
    assert CHALLENGE_COPIES.sum() == 10


@pytest.mark.clause("MUR-1.3")
def test_the_supply_of_lira_never_ends():
    table = position(step="taken", benches={0: "R"}, lira={0: 120, 1: 120})
    play(table, "sell red", "done")
    assert lira(table) == 121


@pytest.mark.clause("MUR-1.4")
def test_the_circle_shows_colours_only_and_the_ring_transparent_shards_too():
    plain = open_game().state_dict()
    assert "transparent" not in plain["circle"].values()
    assert "transparent" in plain["ring"].values()
    assert len(plain["circle"]) == len(plain["ring"]) == 12


@pytest.mark.clause("MUR-1.7")
def test_the_built_in_edition_is_called_a_reconstruction_wherever_it_is_shown():
    table = open_game()
    assert table.options.to_dict()["edition"] == "reconstruction"
    assert "reconstruction" in table.text()


@pytest.mark.clause("MUR-1.7")
def test_the_reconstruction_is_as_the_rules_describe_it():
    board = BUILT_IN_EDITION.board
    assert "".join(name[0].upper() for name in board.circle) == CIRCLE
    assert {face: "".join(name[0].upper() for name in shards) for face, shards in board.faces.items()} == RINGS
    yields = {face: [{(shards * 2)[at + k] for k in range(3)} - {"T"} for at in range(12)] for face, shards in RINGS.items()}
    assert {len(colours) for colours in yields["A"]} == {2}
    assert {len(colours) for colours in yields["B"]} == {1, 2, 3}


@pytest.mark.clause("MUR-1.7", "MUR-1.2")
def test_the_creations_of_the_reconstruction_are_spread_evenly():
    first, second = BUILT_IN_EDITION.creations[:12], BUILT_IN_EDITION.creations[12:]
    by_count = [Counter(each.recipe).most_common() for each in first]
    assert {tuple(count for _, count in shards) for shards in by_count} == {(3, 1)}
    assert len({tuple(colour for colour, _ in shards) for shards in by_count}) == 12
    assert set(Counter(frozenset(each.categories) for each in first).values()) == {2}
    assert all(sorted(Counter(each.recipe).values()) == [1, 1, 2] for each in second)
    assert len({frozenset(Counter(each.recipe).items()) for each in second}) == 12
    assert Counter(each.categories for each in second) == {(name,): 3 for name in CATEGORY_NAMES}


# ---- 13 Edition files


def toml_of(content):
    """An edition's content as a TOML text."""
    lines = [f"circle = {content['circle']}", "[rings]", *[f"{face} = {ring}" for face, ring in content["rings"].items()]]
    for entry in content["creations"]:
        lines += ["[[creations]]", *[f"{key} = {value!r}" for key, value in entry.items()]]
    return "\n".join(lines)


@pytest.fixture
def content():
    return edition()


@pytest.mark.clause("MUR-13")
def test_the_built_in_edition_written_to_a_file_is_read_back(tmp_path, content):
    path = tmp_path / "real cards.toml"
    path.write_text(toml_of(content), encoding="utf-8")
    for option in (path, str(path)):
        assert edition_of(option).creations == BUILT_IN_EDITION.creations
        assert edition_of(option).board == BUILT_IN_EDITION.board


@pytest.mark.clause("MUR-13")
def test_creations_are_numbered_in_the_order_of_the_file(content):
    content["creations"].reverse()
    table = open_game(edition=content, draft=True)
    names = [entry["name"] for entry in content["creations"]]
    assert list(table.state_dict()["recipe"]) == names
    first = table.state_dict()["pack"]["player_0"][3]
    play(table, f"draft card {names.index(first)}")
    assert hand(table) == [first]


@pytest.mark.clause("MUR-13")
def test_an_edition_is_played_with_its_own_names_and_board():
    cards = edition_of(EXAMPLE_EDITION)
    assert cards.creations != BUILT_IN_EDITION.creations
    table = open_game(edition=EXAMPLE_EDITION, ring="B")
    plain = table.state_dict()
    assert "example_edition.toml" in table.text()
    assert "reconstruction" not in table.text()
    assert set(hand(table)) < set(cards.names())
    assert tuple(plain["circle"].values()) == cards.board.circle
    assert tuple(plain["ring"].values()) == cards.board.faces["B"]


@pytest.mark.clause("MUR-13")
def test_recipes_and_categories_are_those_of_the_edition(content):
    content["creations"][14].update(recipe="GGGG", categories=["animals", "art"])
    table = position(edition=content, step="negotiated", hands={0: ["Vase"]}, benches={0: "GGGG"}, advantages=[16, 1, 2, 8])
    play(table, "make replacing none")
    assert legal(table, "use") == ["use art with art+animals", "use animals with animals+art"]


@pytest.mark.clause("MUR-13")
def test_states_and_replays_of_an_edition_need_no_file():
    table = open_game(edition=EXAMPLE_EDITION)
    play(table, "turn selector", "take pair")
    assert Replay.from_json(Replay.of(table).to_json()).verify().state_hash() == table.state_hash()
    twin = Table(GAME, GAME.parse_options(table.options.to_dict()))
    twin.load_state_dict(table.state_dict())
    assert twin.state_bytes() == table.state_bytes()
    with pytest.raises(StateError):
        open_game().load_state_dict(table.state_dict())


def spoil(content, number, **change):
    content["creations"][number - 1].update(change)


FAULTS = [
    (lambda c: c.pop("circle"), r"edition: unknown keys \[\], missing keys \['circle'\]"),
    (lambda c: c.update(author="me"), r"unknown keys \['author'\]"),
    (lambda c: c.update(circle="RGYB"), "circle: expected 12 shards, found 4"),
    (lambda c: c.update(circle=7), "circle: expected 12 shards, found 7"),
    (
        lambda c: c["circle"].__setitem__(4, "transparent"),
        "circle: shard 5 is 'transparent', allowed: red, green, yellow, blue",
    ),
    (lambda c: c.update(circle="RGYBGRBYRBGT"), "circle: shard 12 is 'transparent'"),
    (lambda c: c.update(circle="RGYBGRBYRBGX"), "circle: shard 12 is 'X'"),
    (lambda c: c["circle"].__setitem__(0, 3), "circle: shard 1 is 3"),
    (lambda c: c.update(rings=["R"] * 12), "rings: .* is not a table"),
    (lambda c: c["rings"].pop("B"), r"rings: unknown keys \[\], missing keys \['B'\]"),
    (lambda c: c["rings"].update(C="R" * 12), r"rings: unknown keys \['C'\]"),
    (lambda c: c["rings"].update(A="R" * 13), r"rings\.A: expected 12 shards, found 13"),
    (lambda c: c["rings"]["B"].__setitem__(2, "pink"), r"rings\.B: shard 3 is 'pink', allowed: .*transparent"),
    (lambda c: c["creations"].pop(), r"expected 24 \[\[creations\]\] tables, found 23"),
    (lambda c: c["creations"].append(c["creations"][0]), r"expected 24 \[\[creations\]\] tables, found 25"),
    (lambda c: c.update(creations="none"), r"expected 24 \[\[creations\]\] tables, found "),
    (lambda c: c["creations"].__setitem__(3, 5), "creation 4: 5 is not a table"),
    (lambda c: spoil(c, 15, colour="red"), r"creation 15 \('Vase'\): unknown keys \['colour'\]"),
    (lambda c: c["creations"][14].pop("recipe"), r"creation 15 \('Vase'\): unknown keys \[\], missing keys \['recipe'\]"),
    (lambda c: spoil(c, 15, name=" "), r"creation 15 \(' '\): name = ' ' is not a non-empty text"),
    (lambda c: spoil(c, 15, name=7), "creation 15: name = 7 is not a non-empty text"),
    (lambda c: spoil(c, 16, name="Vase"), r"creation 16 \('Vase'\): creation 15 has the same name"),
    (lambda c: spoil(c, 15, recipe="RRY"), r"creation 15 \('Vase'\): recipe: expected 4 shards, found 3"),
    (lambda c: spoil(c, 15, recipe="RRYBB"), r"creation 15 \('Vase'\): recipe: expected 4 shards, found 5"),
    (lambda c: spoil(c, 15, recipe="RRYT"), r"creation 15 \('Vase'\): recipe: shard 4 is 'transparent'"),
    (lambda c: spoil(c, 15, recipe={"red": 4}), r"creation 15 \('Vase'\): recipe: expected 4 shards, found .*red"),
    (lambda c: spoil(c, 15, categories=[]), r"creation 15 \('Vase'\): categories = \[\]: expected a list of one or two"),
    (lambda c: spoil(c, 15, categories=["art", "jewels", "animals"]), r"creation 15 \('Vase'\): categories = .* one or two"),
    (lambda c: spoil(c, 15, categories="art"), r"creation 15 \('Vase'\): categories = 'art'"),
    (lambda c: spoil(c, 15, categories=["art", "art"]), r"creation 15 \('Vase'\): categories = .* must differ"),
    (lambda c: spoil(c, 15, categories=["music"]), r"creation 15 \('Vase'\): category 'music' is not one of art"),
    (lambda c: spoil(c, 15, categories=[["art"]]), r"creation 15 \('Vase'\): category \['art'\] is not one of art"),
]


@pytest.mark.clause("MUR-13")
@pytest.mark.parametrize(("change", "said"), FAULTS, ids=[said for _, said in FAULTS])
def test_a_wrong_edition_is_refused_with_the_entry_and_the_fault(content, change, said):
    change(content)
    with pytest.raises(EditionError, match=f"murano_v0: edition.*{said.removeprefix('edition')}"):
        GAME.parse_options({"edition": content})


@pytest.mark.clause("MUR-13")
def test_files_that_cannot_be_read_are_refused_by_name(tmp_path):
    wrong, binary = tmp_path / "wrong.toml", tmp_path / "binary.toml"
    wrong.write_text("[[creations]\n", encoding="utf-8")
    binary.write_bytes(b"\xff\xfe\x00")
    for path, said in ((wrong, "cannot be read"), (binary, "cannot be read"), (tmp_path, "no such file")):
        with pytest.raises(EditionError, match=f"{path.name}.*{said}"):
            GAME.parse_options({"edition": path})
    with pytest.raises(EditionError, match="no such file; allowed: 'reconstruction' or the path"):
        GAME.parse_options({"edition": "official"})
    for value in (None, 3, ["a"]):
        with pytest.raises(EditionError, match=r"murano_v0: edition=.*allowed: 'reconstruction'"):
            GAME.parse_options({"edition": value})
