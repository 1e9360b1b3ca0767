"""A seat's link opens that seat and nothing else, and nobody else gets in."""

import json
import re

import pytest
from cardtable_agents.web.app import Settings
from cardtable_agents.web.sockets import NOT_YOURS
from web_server import WAIT, serving
from websockets.exceptions import ConnectionClosed


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


def closed_with(server, table: str, key: object) -> int:
    """The code with which a page that joins with this key is closed."""
    with server.socket(table) as connection:
        connection.send(json.dumps({"do": "join", "key": key}))
        with pytest.raises(ConnectionClosed) as caught:
            connection.recv(timeout=WAIT)
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code


def test_a_secret_opens_its_own_seat_of_its_own_table_alone(server):
    one, other = (server.open(seats=("here", "link")) for _ in range(2))
    keys = [link["key"] for made in (one, other) for link in made["links"]]
    assert len(set(keys)) == 4
    assert all(re.fullmatch(r"[\w-]{22}", key) for key in keys)  # 16 bytes
    for link in one["links"]:
        with server.joined(one["table"], link["key"]) as talk:
            state = talk.hear()
            assert (state["own"], state["seat"]) == (link["seats"], link["seats"][0])
        assert closed_with(server, other["table"], link["key"]) == NOT_YOURS
        assert server.post(f"/api/tables/{other['table']}/replay", {"key": link["key"]}).status_code == 404
    for wrong in (
        "",
        None,
        1,
        [],
        {},
        [keys[0]],
        {"key": keys[0]},
        keys[0][:-1],
        keys[0] + "A",
        keys[0].swapcase(),
        one["table"],
        "é",
        "\ud800",
        "\0",
    ):
        assert closed_with(server, one["table"], wrong) == NOT_YOURS
        assert server.post(f"/api/tables/{one['table']}/replay", {"key": wrong}).status_code == 404


def test_a_page_plays_for_no_other_seat(server):
    made = server.open(seats=("here", "link"))
    table = server.site.tables.find(made["table"])
    waits = next(link for link in made["links"] if link["seats"] != [table.turn])
    with server.joined(made["table"], waits["key"]) as talk:
        state = talk.hear()
        assert state["actions"] == []
        for action in table.actions():
            talk.say(do="play", action=action["id"], number=state["number"], seat=table.turn, key=made["links"][0]["key"])
            assert "decides now" in talk.hear("refused")["why"]
        talk.say(do="hint", agent="random", number=state["number"])
        assert "who decides" in talk.hear("refused")["why"]
        talk.say(do="uncover", seat=table.turn)
        talk.hear("refused")
        talk.say(do="take_back")
        talk.hear("refused")
        assert not any(message.get("decides") or message.get("actions") for message in talk.heard)
    assert table.table.history == []


def test_a_secret_opens_nothing_after_its_table_is_gone():
    with serving(Settings(most_tables=2)) as served:
        gone = served.open()
        served.site.tables.find(gone["table"]).used_at -= 2 * 3600  # tables of the last hour are not closed for others
        for _ in range(2):
            served.open()
        assert closed_with(served, gone["table"], gone["links"][0]["key"]) == NOT_YOURS
        assert served.post(f"/api/tables/{gone['table']}/replay", {"key": gone["links"][0]["key"]}).status_code == 404


def test_secrets_and_seed_are_in_no_message(server):
    made = server.open(seats=("here", "link"), seed=987654321987)
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        text = json.dumps(talk.hear())
    assert "987654321987" not in text
    assert all(link["key"] not in text for link in made["links"])


def test_who_says_nothing_is_shown_nothing(server, monkeypatch):
    monkeypatch.setattr("cardtable_agents.web.sockets.MOST_WAIT", 0.3)
    with server.socket(server.open()["table"]) as connection, pytest.raises(ConnectionClosed) as closed:
        connection.recv(timeout=WAIT)
    assert closed.value.rcvd.code == NOT_YOURS
