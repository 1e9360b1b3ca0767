"""Pictures as pixels: `render_mode="rgb_array"`, PNG files, and the film-makers of PettingZoo and Gymnasium."""

import sys
import types

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import RecordVideo as RecordSolo
from pettingzoo.utils.wrappers.record_video import RecordVideo

import cardtable
from cardtable import pictures
from cardtable.envs import aec
from cardtable.envs.gymnasium import SoloEnv
from cardtable.errors import CardtableError, OptionError
from cardtable.game.registry import find, game_ids
from cardtable.support import svg
from cardtable.table import Table

pytest.importorskip("matplotlib")

SOLO = "cardtable/MuranoSolo-v0"
PNG = b"\x89PNG\r\n\x1a\n"
STEPS = 4
FEW = 6  # frames of a film
INK = svg.Paint("#112233", "#ddeeff")


def drawing(*pieces, theme="light", height=60):
    """A small picture."""
    return svg.document(120, height, *pieces, name="test", title="a test", paints={"ink": INK}, theme=theme)


def colours(image):
    """The colours of an image, each once."""
    return {tuple(int(part) for part in colour) for colour in np.unique(image.reshape(-1, 3), axis=0)}


def step_at_random(env, generator):
    """One legal action."""
    env.step(int(generator.choice(np.flatnonzero(env.last()[0]["action_mask"]))))


# ---- Pixels


def test_words_are_drawn():
    plain, written = pictures.pixels(drawing()), pictures.pixels(drawing(svg.words(5, 40, "Murano", size=30)))
    assert (0x11, 0x22, 0x33) not in colours(plain)
    assert (0x11, 0x22, 0x33) in colours(written)
    assert (plain != written).any(axis=2).sum() > 300


def test_bold_words_are_bolder():
    plain, bold = (pictures.pixels(drawing(svg.words(5, 40, "Murano", size=25, bold=bold))) for bold in (False, True))
    assert (bold.sum(axis=2) < 300).sum() > 1.2 * (plain.sum(axis=2) < 300).sum()


@pytest.mark.parametrize(
    ("theme", "paint"), [("light", (0x11, 0x22, 0x33)), ("dark", (0xDD, 0xEE, 0xFF)), ("auto", (0x11, 0x22, 0x33))]
)
def test_paints_are_those_of_the_theme(theme, paint):
    image = pictures.pixels(drawing(svg.box(0, 0, 50, 50, fill="ink", line="none"), theme=theme))
    assert image.shape == (60, 120, 3)
    assert tuple(image[25, 25]) == paint


def painted(*pieces):
    """Where a small picture has its ink."""
    return (pictures.pixels(drawing(*pieces)) == (0x11, 0x22, 0x33)).all(axis=2)


def ink(drawn):
    """A path in ink."""
    return svg.path(drawn, fill="ink", line="none")


@pytest.mark.parametrize(
    ("drawn", "inside", "outside"),
    [
        ("M10 10L50 10 50 50 10 50Z", [(30, 30), (12, 48)], [(60, 30)]),
        ("M10 10H50V50H10Z", [(30, 30), (12, 48)], [(60, 30)]),
        ("M10 30A20 20 0 0 1 50 30Z", [(30, 15)], [(30, 40), (12, 12)]),
        ("M10 30A20 20 0 0 0 50 30Z", [(30, 45)], [(30, 20), (12, 48)]),
        ("M30 10A20 20 0 0 1 50 30L30 30Z", [(40, 22)], [(48, 12), (20, 20)]),
        ("M30 10A20 20 0 1 0 50 30L30 30Z", [(20, 20), (20, 40), (40, 40)], [(40, 22)]),
        ("M30 10A20 20 0 1 1 30 50A20 20 0 1 1 30 10Z", [(30, 30), (15, 30), (45, 30)], [(14, 14)]),
        ("M10 50Q30 -10 50 50Z", [(30, 30)], [(12, 20), (48, 20)]),
        ("M10 30Q20 0 30 30T50 30Z", [(20, 20), (40, 40)], [(40, 20), (20, 40)]),
        ("M10 50C10 0 50 0 50 50Z", [(30, 20)], [(12, 12), (48, 12)]),
        ("M0 0L20 0 20 20ZM40 40L60 40 60 60 40 60Z", [(17, 5), (50, 50)], [(30, 30), (5, 15)]),
    ],
)
def test_paths_are_drawn_as_svg_means_them(drawn, inside, outside):
    found = painted(ink(drawn))
    assert [found[y, x] for x, y in inside] == [True] * len(inside)
    assert [found[y, x] for x, y in outside] == [False] * len(outside)


def test_pieces_are_moved_and_made_larger():
    found = painted(svg.at(20, 10, svg.element("g", svg.box(0, 0, 10, 10, fill="ink", line="none"), transform="scale(3 2)")))
    rows, columns = np.flatnonzero(found.any(axis=1)), np.flatnonzero(found.any(axis=0))
    assert np.allclose((rows.min(), rows.max()), (10, 29), atol=1.5)  # what its round corners leave
    assert np.allclose((columns.min(), columns.max()), (20, 49), atol=1.5)


def test_later_pieces_lie_on_earlier_ones():
    box = svg.box(0, 0, 40, 40, fill="ink", line="none")
    assert painted(box).any()
    assert not painted(box, svg.box(0, 0, 60, 60, fill="card", line="none")).any()


def test_words_stand_where_they_are_anchored():
    start, middle, end = (
        np.flatnonzero(painted(svg.words(60, 40, "mmm", size=14, anchor=anchor)).any(axis=0))
        for anchor in ("start", "middle", "end")
    )
    assert start.min() >= 59
    assert abs(middle.min() + middle.max() - 120) <= 4
    assert end.max() <= 60


def test_letters_that_no_font_has_are_no_fault():
    assert pictures.pixels(drawing(svg.words(5, 40, "色 $a$", size=30))).shape == (60, 120, 3)


@pytest.mark.parametrize("piece", ["<ellipse/>", svg.path("m1 1z"), svg.path("M1 1A5 6 0 0 1 9 9")])
def test_what_cannot_be_drawn_is_said(piece):
    with pytest.raises(NotImplementedError, match="pictures as pixels have"):
        pictures.pixels(drawing(piece))


def test_a_picture_can_be_made_larger():
    assert pictures.pixels(drawing(), 240).shape == (120, 240, 3)


def test_frames_have_the_shape_of_the_first_and_lose_nothing():
    shape = pictures.frame_shape(drawing(height=61))
    assert shape == (62, 120)
    foot = svg.box(0, 190, 120, 10, fill="ink", line="none", radius=0)
    grown = pictures.frame(drawing(foot, height=200), shape)
    assert grown.shape == (62, 120, 3)
    assert (0x11, 0x22, 0x33) in colours(grown[55:])
    assert pictures.frame(drawing(), shape).shape == (62, 120, 3)


# ---- Environments


@pytest.mark.parametrize("game_id", game_ids())
def test_rgb_array_shows_the_table_with_all_open(game_id):
    env, generator = cardtable.make(game_id, render_mode="rgb_array"), np.random.default_rng(1)
    assert "rgb_array" in env.metadata["render_modes"]
    env.reset(seed=1)
    frames = [env.render()]
    for _ in range(STEPS):
        step_at_random(env, generator)
        frames.append(env.render())
    assert {(frame.shape, frame.dtype) for frame in frames} == {(frames[0].shape, np.dtype(np.uint8))}
    assert all(side % 2 == 0 for side in frames[0].shape[:2])
    assert any((frame != frames[0]).any() for frame in frames)
    table = env.unwrapped.table
    expected = pictures.frame(table.picture(None, theme="light"), frames[0].shape[:2])
    assert (frames[-1] == expected).all()


def test_without_the_extra_the_render_mode_is_unknown_and_the_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, pictures.RASTER, raising=False)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    words = r"render_mode='rgb_array': pictures .* need matplotlib.*pip install 'cardtable\[render\]'.*unexpected keyword"
    for kind in (TypeError, OptionError):
        with pytest.raises(kind, match=words):
            aec.TableEnv("muster_v0", render_mode="rgb_array")
    with pytest.raises(CardtableError, match="need matplotlib, which is not installed"):
        pictures.png(drawing())


def test_a_game_without_pictures_has_no_such_render_mode():
    from dataclasses import replace

    game = replace(find("muster_v0"), picture=None)
    with pytest.raises(TypeError, match="'rgb_array': this game draws no pictures"):
        aec.TableEnv(game, render_mode="rgb_array")


# ---- Films


@pytest.fixture
def films(monkeypatch):
    """What is filmed, as lists of frames: by a stand-in for MoviePy, which tests/ecosystem/test_video.py uses itself."""
    made = []

    class ImageSequenceClip:
        def __init__(self, sequence, fps):
            assert fps == 1
            made.append(sequence)

        def write_videofile(self, path, logger=None):
            with open(path, "wb"):
                pass

    modules = {name: types.ModuleType(name) for name in ("moviepy", "moviepy.video", "moviepy.video.io")}
    last = types.ModuleType("moviepy.video.io.ImageSequenceClip")
    last.ImageSequenceClip = ImageSequenceClip
    for name, module in {**modules, last.__name__: last}.items():
        monkeypatch.setitem(sys.modules, name, module)
    return made


def one_shape(film):
    """The one shape of all frames."""
    (shape,) = {frame.shape for frame in film}
    return shape


@pytest.mark.parametrize("game_id", game_ids())
def test_pettingzoo_films_a_game(game_id, films, tmp_path):
    folder, generator = tmp_path / "films", np.random.default_rng(1)
    env = RecordVideo(cardtable.make(game_id, render_mode="rgb_array"), str(folder), video_length=FEW)
    env.reset(seed=1)
    while not films:
        step_at_random(env, generator)
    env.close()
    assert [path.name for path in folder.iterdir()] == ["rl-video-episode-0.mp4"]
    assert len(films[0]) == FEW + 1
    assert len(one_shape(films[0])) == 3


def test_gymnasium_films_the_solo_game(films, tmp_path):
    env = RecordSolo(gymnasium.make(SOLO, render_mode="rgb_array"), str(tmp_path / "films"), video_length=FEW)
    env.action_space.seed(1)
    env.reset(seed=1)
    while not films:
        env.step(env.unwrapped.action_space.sample())
    env.close()
    assert len(films[0]) >= FEW
    table = Table("murano_v0", {"num_players": 1})
    table.deal(1)
    assert (films[0][0] == pictures.pixels(table.picture(0, theme="light"))).all()
    assert one_shape(films[0]) == films[0][0].shape


def test_the_solo_environment_says_what_it_renders():
    assert "rgb_array" in SoloEnv.metadata["render_modes"]
