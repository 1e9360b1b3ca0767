"""Edition files that were given at start: chosen by name, their images served by digest; nothing else of a disk is."""

import asyncio
import json
import re

import httpx
import numpy as np
import pytest
from cardtable_agents.web import catalogue
from cardtable_agents.web.app import Settings, make_app

from artisans_env.env import EXAMPLE_EDITION
from cardtable.errors import EditionError
from cardtable.game.registry import find
from cardtable.replay import Replay
from cardtable.table import Table
from tests.test_card_images import edition, image_file, names_of

HOST = "http://127.0.0.1:8000"


@pytest.fixture
def file(tmp_path):
    """An edition file in which every object has an image."""
    (tmp_path / "card.png").write_bytes(image_file())
    return edition(tmp_path, "artisans_v0", dict.fromkeys(names_of("artisans_v0"), "card.png"))


def ask(settings, *requests):
    """What a server with these settings answers, one after the other: (method, path, body)."""

    async def talk():
        transport = httpx.ASGITransport(make_app(settings))
        async with httpx.AsyncClient(transport=transport, base_url=HOST, headers={"origin": HOST}) as client:
            return [await client.request(method, path, content=body) for method, path, body in requests]

    return asyncio.run(talk())


def test_an_edition_given_at_start_can_be_chosen_by_its_name(file):
    settings = Settings(editions=catalogue.read_editions([file]))
    wanted = json.dumps({"game": "artisans", "options": {"edition": "cards.toml"}})
    other = json.dumps({"game": "artisans", "options": {"edition": str(file)}})
    start, taken, refused = ask(
        settings, ("GET", "/api/start", None), *(("POST", "/api/options", each) for each in (wanted, other))
    )
    (artisans,) = [game for game in start.json()["games"] if game["id"] == "artisans_v0"]
    (field,) = [field for field in artisans["options"] if field["name"] == "edition"]
    assert field["choices"] == ["reconstruction", "cards.toml"]
    assert (taken.status_code, refused.status_code) == (200, 400)


def test_replays_with_the_same_cards_show_its_images_and_the_server_has_them(file):
    table = Table("artisans_v0", {"edition": EXAMPLE_EDITION})
    table.deal(1)
    table.play(int(np.flatnonzero(table.mask)[0]))
    settings, text = Settings(editions=catalogue.read_editions([file])), Replay.of(table).to_json()
    (image,) = catalogue.images_of(settings.editions)
    made, found, none = ask(
        settings, ("POST", "/api/replays", text), ("GET", f"/images/{image}", None), ("GET", f"/images/{'0' * 32}", None)
    )
    assert made.status_code == 200
    assert (found.content, found.headers["content-type"]) == (image_file(), "image/png")
    assert none.status_code == 404
    options = catalogue.illustrated(table.options, settings.editions["artisans_v0"])
    assert set(options.images()) == set(names_of("artisans_v0"))


def test_pictures_for_pages_name_images_by_digest(file):
    from cardtable_agents.web.tables import OpenTable

    options = catalogue.options_from_page(find("artisans"), {"edition": "cards.toml"}, catalogue.read_editions([file]))
    picture = OpenTable(find("artisans"), options, ["here", "random"], 1).picture(0)
    assert re.findall(r'href="/images/[0-9a-f]{32}"', picture)
    assert "data:" not in picture


def test_a_file_that_no_game_can_use_is_refused_and_so_is_a_name_that_is_there_twice(tmp_path, file):
    (tmp_path / "none.toml").write_text("cards = []")
    with pytest.raises(EditionError, match=r"no game can be played with it: artisans_v0: .*murano_v0: "):
        catalogue.read_editions([tmp_path / "none.toml"])
    with pytest.raises(EditionError, match=r"another edition .cards\.toml. already"):
        catalogue.read_editions([file, file])


def test_games_without_editions_have_none_to_illustrate(file):
    options = find("muster").parse_options()
    assert catalogue.illustrated(options, {}) == options
