"""Editions and options (MUR-13, MUR-14)."""

from itertools import product

import pytest

from cardtable.errors import EditionError, OptionError, StateError
from cardtable.replay import Replay
from cardtable.table import Table
from murano_env.components import BUILT_IN_EDITION, edition_of
from murano_env.env import EXAMPLE_EDITION, GAME

from .positions import edition, hand, legal, open_game, play, position

pytestmark = pytest.mark.rules


def toml_of(content):
    """An edition's content as a TOML text."""
    lines = [f"circle = {content['circle']}", "[rings]", *[f"{face} = {ring}" for face, ring in content["rings"].items()]]
    for entry in content["creations"]:
        lines += ["[[creations]]", *[f"{key} = {value!r}" for key, value in entry.items()]]
    return "\n".join(lines)


@pytest.fixture
def content():
    return edition()


# ---- 13 Edition files


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
    (lambda c: c.update(circle="RGYB"), "circle: 4 shards, needed are 12"),
    (lambda c: c.update(circle=7), "circle: 7 shards, needed are 12"),
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
    (lambda c: c["rings"].update(A="R" * 13), r"rings\.A: 13 shards, needed are 12"),
    (lambda c: c["rings"]["B"].__setitem__(2, "pink"), r"rings\.B: shard 3 is 'pink', allowed: .*transparent"),
    (lambda c: c["creations"].pop(), r"23 \[\[creations\]\] tables, needed are 24"),
    (lambda c: c["creations"].append(c["creations"][0]), r"25 \[\[creations\]\] tables"),
    (lambda c: c.update(creations="none"), r"no list of \[\[creations\]\] tables"),
    (lambda c: c["creations"].__setitem__(3, 5), "creation 4: 5 is not a table"),
    (lambda c: spoil(c, 15, colour="red"), r"creation 15 \('Vase'\): unknown keys \['colour'\]"),
    (lambda c: c["creations"][14].pop("recipe"), r"creation 15 \('Vase'\): unknown keys \[\], missing keys \['recipe'\]"),
    (lambda c: spoil(c, 15, name=" "), r"creation 15 \(' '\): name = ' ' is not a text"),
    (lambda c: spoil(c, 15, name=7), "creation 15: name = 7 is not a text"),
    (lambda c: spoil(c, 16, name="Vase"), r"creation 16 \('Vase'\): creation 15 has the same name"),
    (lambda c: spoil(c, 15, recipe="RRY"), r"creation 15 \('Vase'\): recipe: 3 shards, needed are 4"),
    (lambda c: spoil(c, 15, recipe="RRYBB"), r"creation 15 \('Vase'\): recipe: 5 shards"),
    (lambda c: spoil(c, 15, recipe="RRYT"), r"creation 15 \('Vase'\): recipe: shard 4 is 'transparent'"),
    (lambda c: spoil(c, 15, recipe={"red": 4}), r"creation 15 \('Vase'\): recipe: .* shards, needed are 4"),
    (lambda c: spoil(c, 15, categories=[]), r"creation 15 \('Vase'\): categories = \[\], needed is a list of one or two"),
    (lambda c: spoil(c, 15, categories=["art", "jewels", "animals"]), r"creation 15 \('Vase'\): categories = .* one or two"),
    (lambda c: spoil(c, 15, categories="art"), r"creation 15 \('Vase'\): categories = 'art'"),
    (lambda c: spoil(c, 15, categories=["art", "art"]), r"creation 15 \('Vase'\): categories = .* must be different"),
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
    with pytest.raises(EditionError, match="no such file; allowed besides: 'reconstruction'"):
        GAME.parse_options({"edition": "official"})
    for value in (None, 3, ["a"]):
        with pytest.raises(EditionError, match=r"murano_v0: edition=.*allowed: 'reconstruction'"):
            GAME.parse_options({"edition": value})


# ---- 14 Options

REFUSED = [
    ({"num_players": 0}, "num_players=0: allowed: whole numbers from 1 to 4"),
    ({"num_players": 5}, "num_players=5: allowed: whole numbers from 1 to 4"),
    ({"num_players": 2.0}, r"num_players=2\.0"),
    ({"num_players": True}, "num_players=True"),
    ({"ring": "C"}, "ring='C': allowed: A, B"),
    ({"ring": "a"}, "ring='a'"),
    ({"ring": 1}, "ring=1"),
    ({"max_rounds": 0}, "max_rounds=0: allowed: whole numbers from 1"),
    ({"max_rounds": 1.5}, r"max_rounds=1\.5"),
    ({"num_players": 1, "draft": True}, "draft=True with num_players=1"),
    ({"num_players": 1, "interactive": True}, "interactive=True with num_players=1"),
    ({"num_players": 1, "grandmaster": True}, "grandmaster=True with num_players=1"),
    ({"num_players": 4, "draft": True, "grandmaster": True}, "28 cards are needed, there are 24"),
    ({"advantages": [1, 2, 3]}, "3 ids, needed are 4"),
    ({"advantages": [1, 2, 3, 4, 5]}, "5 ids, needed are 4"),
    ({"advantages": []}, "0 ids, needed are 4"),
    ({"advantages": [1, 2, 3, 3]}, "all must be different"),
    ({"advantages": [0, 1, 2, 3]}, "0 is not a whole number from 1 to 20"),
    ({"advantages": [1, 2, 3, 21]}, "21 is not a whole number from 1 to 20"),
    ({"advantages": [1, 2, 3, "4"]}, "'4' is not a whole number"),
    ({"advantages": [True, 2, 3, 4]}, "True is not a whole number"),
    ({"advantages": "all"}, "advantages='all': allowed: random, first_game, or a list of four ids"),
    ({"advantages": 4}, "advantages=4"),
    ({"advantages": None}, "advantages=None"),
    ({"advantages": [1, 2, 3, 17]}, "card 17 needs interactive=True"),
    ({"advantages": [20, 2, 3, 4]}, "card 20 needs interactive=True"),
    ({"interactive": True, "advantages": [1, 2, 3, 4]}, "0 cards from 17 to 20, needed is one"),
    ({"interactive": True, "advantages": [1, 2, 18, 19]}, "2 cards from 17 to 20, needed is one"),
    ({"interactive": True, "advantages": "first_game"}, "interactive=True with advantages='first_game'"),
    ({"grandmaster": True, "advantages": [1, 2, 3, 11]}, "with grandmaster=True: card 11 is out"),
    ({"expert_deck": True, "advantages": "first_game"}, "expert_deck=True with advantages='first_game'"),
    ({"expert_deck": True, "advantages": [1, 5, 6, 7]}, "with expert_deck=True: card 1 is out"),
    ({"expert_deck": True, "advantages": [5, 6, 7, 2]}, "with expert_deck=True: card 2 is out"),
    ({"draft": 1}, "draft=1: allowed are True and False"),
    ({"interactive": "yes"}, "interactive='yes'"),
    ({"grandmaster": None}, "grandmaster=None"),
    ({"expert_deck": 0}, "expert_deck=0"),
    ({"ring_face": "A"}, "unknown option 'ring_face'; allowed: num_players, ring"),
]


@pytest.mark.clause("MUR-14")
@pytest.mark.parametrize(("options", "said"), REFUSED, ids=[str(options) for options, _ in REFUSED])
def test_wrong_options_are_refused_with_the_reason(options, said):
    with pytest.raises(OptionError, match=f"murano_v0: .*{said}"):
        GAME.parse_options(options)


FOUR_IDS = {
    "base": [3, 4, 8, 16],
    "with 11": [3, 4, 8, 11],
    "with 1": [1, 4, 8, 16],
    "interactive": [3, 4, 8, 18],
}


def contradicts(players, advantages, expert_deck, draft, interactive, grandmaster):
    """Whether chapter 14 refuses a combination."""
    ids = FOUR_IDS.get(advantages)
    refused = players == 1 and (draft or interactive or grandmaster)
    refused |= players == 4 and draft and grandmaster
    refused |= advantages == "first_game" and (interactive or expert_deck)
    if ids:
        refused |= (advantages == "interactive") != interactive
        refused |= grandmaster and 11 in ids
        refused |= expert_deck and 1 in ids
    return refused


@pytest.mark.clause("MUR-14")
def test_all_else_combines():
    accepted = 0
    bools = (False, True)
    for face, *combination in product("AB", range(1, 5), ["random", "first_game", *FOUR_IDS], bools, bools, bools, bools):
        players, advantages, expert_deck, draft, interactive, grandmaster = combination
        options = {
            "num_players": players,
            "ring": face,
            "advantages": FOUR_IDS.get(advantages, advantages),
            "expert_deck": expert_deck,
            "draft": draft,
            "interactive": interactive,
            "grandmaster": grandmaster,
        }
        if contradicts(*combination):
            with pytest.raises(OptionError):
                GAME.parse_options(options)
        else:
            table = Table(GAME, GAME.parse_options(options))
            table.deal(seed=accepted)
            assert table.mask.any()
            accepted += 1
    assert accepted == 2 * (8 + 44 + 44 + 34)  # ring faces × what is left for one, two, three and four players


def test_options_are_plain_data_that_parse_again():
    for variant in GAME.variants:
        options = GAME.parse_options(variant)
        again = GAME.parse_options(options.to_dict())
        assert again.to_dict() == options.to_dict()
        assert again.cards.creations == options.cards.creations
