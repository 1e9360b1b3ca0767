"""Pictures of every game that draws them: sound, without leaks, and with clicks that single out every legal action."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import gymnasium
import numpy as np
import pytest
from helpers import SVG, VARIANTS, open_table, parts_of, variant_id, walk, words_of

import cardtable
from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from cardtable.support.svg import THEMES, is_named
from cardtable.table import Table

DRAWN = [(game_id, options) for game_id, options in VARIANTS if find(game_id).picture is not None]
DRAWN_GAMES = [game_id for game_id in game_ids() if find(game_id).picture is not None]
CASES = 12  # positions of each variant

BUTTONS = {
    "artisans_v0": {"pass_turn"},
    "murano_v0": {"done", "end_turn"},
    "muster_v0": set[str](),
}
"""Blocks of actions that name nothing on the table: whoever shows the picture shows them as buttons."""

CHOICES = {
    "artisans_v0": set[str](),
    "murano_v0": set[str](),
    "muster_v0": set[str](),
}
"""Blocks of which clicks may leave several actions, among which whoever shows the picture lets choose."""


def sampled(game: Game, options: dict[str, Any], number: int) -> Iterator[Table]:
    """So many positions of random games, from all parts of them, and the end of one."""
    tables = [table.clone() for table in walk(game, options, games=1)]
    for place in np.linspace(0, len(tables) - 1, number).astype(int):
        yield tables[place]
    last = tables[-1]
    while not last.ending:
        last.play(int(np.flatnonzero(last.mask)[0]))
    yield last


def legal_of(table: Table) -> list[tuple[str, tuple[str, ...]]]:
    """The legal actions, as block and labels."""
    return [table.game.actions.played(table.seat, int(action))[1:] for action in np.flatnonzero(table.mask)]


# ---- Sound, and without leaks


@pytest.mark.parametrize(("game_id", "options"), DRAWN, ids=variant_id)
def test_pictures_are_whole_the_same_again_and_show_nothing_that_the_viewer_cannot_know(game_id, options, sized):
    tried = 0
    for table in sampled(find(game_id), options, sized(CASES)):
        for viewer in (None, *range(table.players)):
            picture = table.picture(viewer, theme="light")
            root = ElementTree.fromstring(picture)
            assert root.tag == f"{SVG}svg"
            assert root.attrib["viewBox"] == f"0 0 {root.attrib['width']} {root.attrib['height']}"
            assert picture == table.picture(viewer, theme="light")
            assert "edition" in options or not any("…" in words for words in words_of(picture))  # names of editions may be cut
            if viewer is not None:
                assert table.redeal(viewer, seed=tried).picture(viewer, theme="light") == picture
            tried += 1
    assert tried >= 2 * sized(CASES)


@pytest.mark.parametrize(("game_id", "options"), DRAWN, ids=variant_id)
def test_all_paints_are_declared(game_id, options, sized):
    for table in sampled(find(game_id), options, sized(CASES)):
        picture = table.picture(table.seat, theme="dark")
        style = picture[picture.index("<style>") : picture.index("</style>")]
        classes = {name for each in ElementTree.fromstring(picture).iter() for name in each.get("class", "").split()}
        assert [name for name in classes if name[1] == "-" and f" .{name}{{" not in style] == []


# ---- Clicks


@pytest.mark.parametrize(("game_id", "options"), DRAWN, ids=variant_id)
def test_parts_name_actions_of_the_game(game_id, options, sized):
    game = find(game_id)
    axes = {block.name: block.axes for block in game.actions.blocks}
    names = set()
    for table in sampled(game, options, sized(CASES)):
        for viewer in (None, *range(table.players)):
            names |= {name for part in parts_of(table.picture(viewer)) for name in part.split("|")}
    for name in names:
        block, *labels = name.split(":")
        assert len(labels) <= len(axes[block])
        assert [label for label, axis in zip(labels, axes[block], strict=False) if label not in ("*", *axis)] == []
    assert names


@pytest.mark.parametrize(("game_id", "options"), DRAWN, ids=variant_id)
def test_clicks_single_out_every_legal_action(game_id, options, sized):
    reached, lost, left_open = 0, set(), set()
    for table in sampled(find(game_id), options, sized(CASES)):
        if table.ending:
            continue
        legal, parts = legal_of(table), sorted(parts_of(table.picture(table.seat)))
        named = np.array([[is_named(part, *action) for action in legal] for part in parts], bool).reshape(
            len(parts), len(legal)
        )
        for number, (block, _) in enumerate(legal):
            left = named[named[:, number]].all(axis=0).sum()
            reached += left == 1 or len(legal) == 1
            if not named[:, number].any():
                lost.add(block)
            elif left > 1:
                left_open.add(block)
    assert lost <= BUTTONS[game_id]
    assert left_open <= CHOICES[game_id]
    assert reached > sized(CASES)


# ---- Themes, tables, environments, replays


@pytest.mark.parametrize("game_id", DRAWN_GAMES)
def test_themes_differ_in_their_paints_alone(game_id):
    table = open_table(find(game_id), {})
    pictures = {theme: table.picture(0, theme=theme) for theme in THEMES}
    assert len(set(pictures.values())) == len(THEMES)
    assert len({tuple(words_of(picture)) for picture in pictures.values()}) == 1
    assert "prefers-color-scheme" in pictures["auto"]
    assert "prefers-color-scheme" not in pictures["light"] + pictures["dark"]


@pytest.mark.parametrize("game_id", DRAWN_GAMES)
def test_a_notebook_shows_what_the_seat_to_act_sees(game_id):
    environment = cardtable.make(game_id)
    assert Table(game_id)._repr_svg_() is None
    assert environment._repr_svg_() is None
    environment.reset(seed=3)
    while environment.unwrapped.table.seat == 0:
        environment.step(int(np.flatnonzero(environment.last()[0]["action_mask"])[0]))
    table = environment.unwrapped.table
    picture = table.picture(table.seat)
    assert environment._repr_svg_() == environment.unwrapped._repr_svg_() == table._repr_svg_() == picture
    assert environment.picture("player_0", theme="dark") == table.picture(0, theme="dark")
    assert environment.picture(None) == table.picture(None)
    assert Replay.of(table)._repr_svg_() == picture


def test_a_notebook_shows_the_environments_of_gymnasium():
    solo = gymnasium.make("cardtable/MuranoSolo-v0").unwrapped
    assert solo._repr_svg_() is None
    solo.reset(seed=3)
    assert solo._repr_svg_() == solo.aec.picture("player_0")
    learner = gymnasium.make("cardtable/Muster-v0", seat=1).unwrapped
    assert learner._repr_svg_() is None
    learner.reset(seed=3)
    picture = learner._repr_svg_()
    assert "player_1 (you)" in picture
    learner.step(learner.action_space.sample())
    assert learner._repr_svg_() != picture


def test_wrong_seats_and_themes_are_refused():
    table = open_table(find(DRAWN_GAMES[0]), {})
    with pytest.raises(OptionError, match="seat=9: allowed: 0 to 1"):
        table.picture(9)
    with pytest.raises(OptionError, match="theme='sepia': allowed: auto, light, dark"):
        table.picture(0, theme="sepia")


def test_a_game_may_draw_no_pictures():
    table = open_table(find("muster_v0"), {})
    table.game = replace(table.game, picture=None)
    with pytest.raises(OptionError, match="muster_v0: this game draws no pictures"):
        table.picture(0)
    assert table._repr_svg_() is None
