"""Images of cards: named by an edition file, read from its folder alone, shown in all pictures, no part of the rules."""

import base64
import io
import json
import os

import numpy as np
import pytest

import cardtable
from artisans_env.env import EXAMPLE_EDITION as ARTISANS
from cardtable import pictures
from cardtable.cli.main import main
from cardtable.errors import CardtableError, EditionError
from cardtable.game import images
from cardtable.game.registry import find
from cardtable.replay import Replay, rewound
from cardtable.table import Table
from murano_env.env import EXAMPLE_EDITION as MURANO

Image = pytest.importorskip("PIL.Image")

EXAMPLES = {"artisans_v0": ARTISANS, "murano_v0": MURANO}
PINK = (255, 0, 255)
DATA = "data:image/png;base64,"


def image_file(kind="PNG", size=(8, 6), colour=PINK):
    """A small image of one colour."""
    file = io.BytesIO()
    Image.new("RGB", size, colour).save(file, kind)
    return file.getvalue()


def names_of(game_id):
    """The cards of a game's example edition."""
    return find(game_id).parse_options({"edition": EXAMPLES[game_id]}).cards.names()


def edition(folder, game_id, named):
    """An edition file in a folder, that names images."""
    lines = [f"{json.dumps(card)} = {json.dumps(path)}" for card, path in named.items()]
    file = folder / "cards.toml"
    file.write_text(
        "\n".join(["[images]", *lines, "", EXAMPLES[game_id].read_text()])
        if game_id == "artisans_v0"
        else "\n".join([EXAMPLES[game_id].read_text(), "[images]", *lines])
    )
    return file


@pytest.fixture
def illustrated(tmp_path, request):
    """An edition file in which every card has the same image."""
    (tmp_path / "art").mkdir()
    (tmp_path / "art" / "card.png").write_bytes(image_file())
    return edition(tmp_path, request.param, dict.fromkeys(names_of(request.param), "art/card.png"))


def dealt(game_id, file, decisions=12):
    """A table with an edition, after some decisions: hands have been dealt."""
    table, generator = Table(game_id, {"edition": file}), np.random.default_rng(3)
    table.deal(3)
    for _ in range(decisions):
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    return table


GAMES = [(game_id, game_id) for game_id in EXAMPLES]
each_game = pytest.mark.parametrize(("game_id", "illustrated"), GAMES, indirect=["illustrated"])


# ---- Shown


@each_game
def test_images_are_in_pictures_pixels_and_pages(game_id, illustrated, tmp_path):
    table, plain = dealt(game_id, illustrated), dealt(game_id, EXAMPLES[game_id])
    picture = table.picture(None, theme="light")
    assert picture.count(f'href="{DATA}') >= 4
    assert "<image" not in plain.picture(None)
    assert (pictures.pixels(picture) == PINK).all(axis=2).sum() > 4 * 1000
    assert not (pictures.pixels(plain.picture(None)) == PINK).all(axis=2).any()
    named = table.picture(0, place=lambda image: f"/images/{image.digest}")
    assert 'href="/images/' in named
    assert "data:" not in named
    table.replay = Replay.of(table)
    table.replay.save(tmp_path / "game.json")
    main(["replay", str(tmp_path / "game.json"), "--html", str(tmp_path / "game.html"), "--images", str(illustrated)])
    page = (tmp_path / "game.html").read_text()
    assert page.count(DATA) == 1  # each image once, however many pictures show it


@each_game
def test_rgb_array_shows_images(game_id, illustrated):
    env = cardtable.make(game_id, render_mode="rgb_array", edition=str(illustrated))
    env.reset(seed=3)
    assert (env.render() == PINK).all(axis=2).sum() > 1000


@each_game
def test_a_picture_of_a_replay_shows_images_if_it_is_told_where_they_are(game_id, illustrated, tmp_path, capsys):
    replay = tmp_path / "game.json"
    Replay.of(dealt(game_id, illustrated)).save(replay)
    main(["picture", str(replay), "--out", str(tmp_path / "plain.svg"), "--open"])
    main(["picture", str(replay), "--out", str(tmp_path / "with.svg"), "--open", "--images", str(illustrated), "--step", "3"])
    assert DATA not in (tmp_path / "plain.svg").read_text()
    assert DATA in (tmp_path / "with.svg").read_text()
    capsys.readouterr()
    assert main(["picture", game_id, "--out", str(tmp_path / "x.svg"), "--images", str(illustrated)]) == 2
    assert "--option edition=FILE" in capsys.readouterr().err


# ---- No part of the rules


@each_game
def test_images_change_no_game(game_id, illustrated):
    table, plain = dealt(game_id, illustrated), dealt(game_id, EXAMPLES[game_id])
    assert table.options.to_dict() == plain.options.to_dict()
    assert table.state_hash() == plain.state_hash()
    assert table.state_bytes() == plain.state_bytes()
    assert Replay.of(table).to_json() == Replay.of(plain).to_json()
    assert plain.options.images() == {}
    assert rewound(table, 2).options.images() == table.clone().options.images() == table.options.images() != {}


@each_game
def test_images_go_with_the_same_cards_only(game_id, illustrated):
    table = Table(game_id)
    table.deal(1)
    with pytest.raises(EditionError, match="this game is played with other cards"):
        table.show_images(illustrated)
    with pytest.raises(EditionError, match="this game has no editions"):
        Table("muster_v0").show_images(illustrated)


def test_an_edition_given_as_content_has_no_images():
    content = find("artisans_v0").parse_options({"edition": ARTISANS}).cards.plain()
    with pytest.raises(EditionError, match="only an edition file has images"):
        Table("artisans_v0", {"edition": {**content, "images": {}}})


# ---- What a file may name


def refused(folder, path, words, card=None):
    """Check that an edition that names a file is refused, with these words."""
    file = edition(folder, "artisans_v0", {card or names_of("artisans_v0")[0]: path})
    with pytest.raises(EditionError, match=words) as caught:
        Table("artisans_v0", {"edition": file})
    assert "cards.toml" in str(caught.value)
    assert len(str(caught.value)) < 2000


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        "../secret.png",
        "art/../../secret.png",
        "art\\..\\secret.png",
        "C:secret.png",
        "",
        "a\0b.png",
        7,
        "x" * 500,
    ],
)
def test_no_name_leads_out_of_the_folder(tmp_path, path):
    (tmp_path / "secret.png").write_bytes(image_file())
    (tmp_path / "edition" / "art").mkdir(parents=True)
    words = "cannot be read: .*control|expected the name of a file" if path == "a\0b.png" else "expected the name of a file"
    refused(tmp_path / "edition", path, words)


@pytest.mark.parametrize("link", ["file", "folder"])
def test_no_link_leads_out_of_the_folder(tmp_path, link):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.png").write_bytes(image_file())
    (tmp_path / "edition").mkdir()
    target = tmp_path / "outside" / ("secret.png" if link == "file" else "")
    os.symlink(target, tmp_path / "edition" / "link")
    refused(tmp_path / "edition", "link" if link == "file" else "link/secret.png", "a link that leads out of the folder")


def test_a_folder_that_is_a_link_itself_is_fine(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "card.png").write_bytes(image_file())
    edition(tmp_path / "real", "artisans_v0", {names_of("artisans_v0")[0]: "card.png"})
    os.symlink(tmp_path / "real", tmp_path / "link")
    assert Table("artisans_v0", {"edition": tmp_path / "link" / "cards.toml"}).options.images()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "no such file in the folder"),
        (b"", "not a whole image; allowed: PNG, JPEG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>", "not a whole image"),
        (b"GIF89a" + bytes(50), "not a whole image"),
        (image_file()[:-4], "not a whole image"),
        (image_file("JPEG")[:-2], "not a whole image"),
        (images.JPEG_START + bytes(20) + images.JPEG_END, "not a whole image"),
        (image_file() + bytes(images.LARGEST_IMAGE), "larger than 262,144 bytes"),
        (image_file(size=(images.LARGEST_SIDE + 1, 1)), "2049 × 1 pixels, allowed: 1 to 2048"),
    ],
)
def test_what_is_no_image_is_refused(tmp_path, content, words):
    if content is not None:
        (tmp_path / "card.png").write_bytes(content)
    refused(tmp_path, "card.png", words)


def test_a_folder_or_a_pipe_is_no_image(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        refused(tmp_path, name, "no such file in the folder")


def test_images_are_of_cards_of_the_edition(tmp_path):
    refused(tmp_path, "card.png", "'Philosophers stone' is not a card of this edition; its cards: ", "Philosophers stone")
    file = tmp_path / "wrong.toml"
    file.write_text(f'images = "all"\n{ARTISANS.read_text()}')
    with pytest.raises(EditionError, match="images = 'all' is not a table of cards and files"):
        Table("artisans_v0", {"edition": file})


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_kinds_are_told_by_content(tmp_path, kind):
    (tmp_path / "card.dat").write_bytes(image_file(kind, (40, 30)))
    (found,) = images.read_images({"Mill": "card.dat"}, tmp_path, ["Mill"], "here").values()
    assert found.kind == kind.lower()
    assert found.address == f"data:image/{found.kind};base64,{base64.b64encode(found.data).decode()}"


def test_a_damaged_image_is_said_when_it_is_drawn(tmp_path):
    whole = image_file(size=(40, 40))
    (tmp_path / "card.png").write_bytes(whole[:40] + bytes(10) + whole[50:])
    file = edition(tmp_path, "artisans_v0", dict.fromkeys(names_of("artisans_v0"), "card.png"))
    with pytest.raises(CardtableError, match="an image of a card cannot be drawn"):
        pictures.pixels(dealt("artisans_v0", file).picture(None))
