"""Tables that people sit at: who may do what, take-back, hot seat, hints, agents that fail; whole games over sockets."""

import asyncio
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cardtable_agents.players.policy import POLICIES
from cardtable_agents.web import catalogue
from cardtable_agents.web.app import Settings
from cardtable_agents.web.hints import hint
from cardtable_agents.web.sockets import Driver, Page
from cardtable_agents.web.tables import HERE, IDLE, LINK, OVER, RECENT, OpenTable, Tables
from cardtable_agents.web.thinkers import MOST_IDLE, Thinkers
from web_server import serving

from cardtable.errors import AgentError, CardtableError, IllegalAction, OptionError
from cardtable.game.registry import find
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import Views
from cardtable.types import Actions

MUSTER = find("muster")


def opened(*seats: str, game: str = "muster", seed: int = 1, **options: Any) -> OpenTable:
    found = find(game)
    return OpenTable(found, found.parse_options({"num_players": len(seats), **options}), seats, seed, 0.0)


def first_action(table: OpenTable) -> int:
    return int(table.actions()[0]["id"])


def page(table: OpenTable, place: int = 0) -> Page:
    """What a page of a link would be sent, without a socket."""
    return Page(None, table, table.links[place], None, ["random"])  # type: ignore[arg-type]


# ---- Links


def test_each_link_opens_its_own_seats():
    table = opened(HERE, LINK, HERE, LINK, game="artisans")
    assert [link.seats for link in table.links] == [(0, 2), (1,), (3,)]
    assert len({link.key for link in table.links}) == 3
    assert all(table.link_of(link.key) is link for link in table.links)
    for wrong in ("", None, 7, table.links[0].key[:-1], table.links[0].key + "x", "é"):
        assert table.link_of(wrong) is None


def test_only_a_table_of_agents_can_be_watched_with_all_cards_open():
    assert [link.seats for link in opened("random", "random").links] == [()]
    assert [link.seats for link in opened("random", LINK).links] == [(1,)]


# ---- Playing


def test_only_who_decides_plays_and_only_in_the_state_it_saw():
    table = opened(HERE, LINK)
    mine, theirs = table.links
    action, number, turn = first_action(table), table.number, table.turn
    decides, waits = (mine, theirs) if turn in mine.seats else (theirs, mine)
    for link, seat, given, state, error in (
        (waits, waits.seats[0], action, number, OptionError),
        (waits, turn, action, number, OptionError),
        (decides, waits.seats[0], action, number, OptionError),
        (decides, turn, action, number - 1, OptionError),
        (decides, turn, action, None, OptionError),
        (decides, turn, str(action), number, IllegalAction),
        (decides, turn, None, number, IllegalAction),
        (decides, turn, True, number, IllegalAction),
        (decides, turn, 10**9, number, IllegalAction),
        (decides, turn, -1, number, IllegalAction),
    ):
        with pytest.raises(error):
            table.play(link, seat, given, state)
    assert table.table.history == []
    table.play(decides, turn, action, number)
    assert table.table.history == [action]
    assert table.number == number + 1


def test_what_an_agent_chose_before_a_change_is_not_played():
    table = opened("random", "random")
    table.play_for_agent(first_action(table), table.number - 1)
    assert table.table.history == []
    table.play_for_agent(first_action(table), table.number)
    assert len(table.table.history) == 1


def test_take_back_undoes_the_last_own_move_and_what_followed():
    table = opened(HERE, "random")
    (link,) = table.links
    assert not table.can_take_back(link)
    with pytest.raises(OptionError, match="no move to take back"):
        table.take_back(link)
    while table.table.movers.count(1) < 3 or table.turn != 0:
        before = table.table.history.copy(), table.log(0).copy()
        if table.turn == 0:
            kept = before
            table.play(link, 0, first_action(table), table.number)
        else:
            table.play_for_agent(first_action(table), table.number)
    table.take_back(link)
    assert (table.table.history, table.log(0)) == kept
    assert table.turn == 0


def test_nobody_takes_back_a_move_of_a_person_elsewhere():
    table = opened(HERE, LINK)
    for _ in range(8):
        link = next(link for link in table.links if table.turn in link.seats)
        table.play(link, table.turn, first_action(table), table.number)
    assert not any(table.can_take_back(link) for link in table.links)


def test_seats_must_fit_the_number_of_players():
    with pytest.raises(OptionError, match="1 players for 2 seats"):
        OpenTable(MUSTER, MUSTER.parse_options(), [HERE], 1)


# ---- Hot seat


def test_hands_are_covered_between_the_turns_of_two_persons_at_one_screen():
    table = opened(HERE, HERE)
    shown, covered = page(table), 0
    for _ in range(40):
        state = shown.state()
        if state["covered"] is not None:
            covered += 1
            assert {"picture", "log", "end"}.isdisjoint(state)
            assert state["actions"] == []
            with pytest.raises(OptionError):
                shown._do({"do": "play", "action": first_action(table), "number": table.number})
            with pytest.raises(OptionError):
                shown._do({"do": "uncover", "seat": 1 - state["covered"]})
            shown._do({"do": "uncover", "seat": state["covered"]})
            state = shown.state()
        assert state["seat"] == state["turn"]
        assert state["picture"] == table.table.picture(state["turn"])
        shown._do({"do": "play", "action": state["actions"][-1]["id"], "number": state["number"]})
    assert covered > 10


# ---- Bounds


def full(*unused: float) -> tuple[Tables, list[OpenTable]]:
    """All places taken by tables that nobody has open, unused for so many seconds."""
    tables, kept = Tables(most=len(unused)), [opened(HERE, "random") for _ in unused]
    for table, seconds in zip(kept, unused, strict=True):
        tables.add(table)
        table.used_at = time.monotonic() - seconds
    return tables, kept


def test_if_all_places_are_taken_what_nobody_has_used_for_an_hour_makes_room_the_oldest_first():
    tables, kept = full(RECENT + 5, RECENT + 9, RECENT + 7)
    kept[1].listeners.add(lambda: None)
    tables.add(opened(HERE, "random"))
    assert [tables.find(table.id) is not None for table in kept] == [True, True, False]


def test_new_tables_are_refused_rather_than_those_of_the_last_hour_closed():
    tables, kept = full(0, 60, RECENT - 60)
    with pytest.raises(CardtableError, match="3 tables are open, allowed: 3"):
        tables.add(opened(HERE, "random"))
    assert all(tables.find(table.id) is table for table in kept)


def test_games_that_are_over_make_room_and_are_not_kept_for_long():
    tables, (played, other) = full(0, 0)
    play_to_the_end(played)
    tables.add(opened(HERE, "random"))
    assert tables.find(played.id) is None
    assert tables.find(other.id) is other
    tables, kept = Tables(), [opened(HERE, "random") for _ in range(2)]
    for table, seconds in zip(kept, (OVER - 60, OVER + 1), strict=True):
        tables.add(table)
        play_to_the_end(table)
        table.used_at = time.monotonic() - seconds
    tables.add(opened(HERE, "random"))
    assert [tables.find(table.id) is not None for table in kept] == [True, False]


def play_to_the_end(table: OpenTable) -> None:
    while not table.table.ending:
        table.table.play(first_action(table))


def test_idle_tables_are_closed():
    tables = Tables()
    old, new = opened(HERE, "random"), opened(HERE, "random")
    tables.add(old)
    old.used_at = time.monotonic() - IDLE - 1
    tables.add(new)
    assert tables.find(old.id) is None
    assert tables.find(new.id) is new


# ---- Pace


def test_the_pace_is_set_at_the_first_screen_and_is_no_change_of_the_table():
    table, told = opened(HERE, LINK, "random", game="artisans", num_players=3), []
    table.listeners.add(lambda: told.append(table.pace))
    first, other = (page(table, place) for place in range(2))
    before = first.state()
    first._do({"do": "pace", "seconds": 4})
    after = first.state()
    assert (after["number"], after["actions"], after["pace"], told) == (before["number"], before["actions"], 4, [4])
    with pytest.raises(OptionError, match="screen where the table was opened"):
        other._do({"do": "pace", "seconds": 0})
    assert (table.pace, told) == (4, [4])
    assert (first.state()["sets_pace"], other.state()["sets_pace"]) == (True, False)


def test_an_agent_that_thinks_is_not_asked_again_when_the_pace_changes():
    table, asked = opened("random", "random"), []
    table.pace = 4.0

    class Counting:
        async def ask(self, *_: Any) -> int:
            asked.append(table.number)
            await asyncio.sleep(0.05)
            return first_action(table)

    async def run() -> None:
        driver = Driver(table, Counting())  # type: ignore[arg-type]
        table.listeners.add(driver.notice)
        driver.start()
        for _ in range(6):  # some of these while it thinks, some while it waits
            await asyncio.sleep(0.02)
            table.set_pace(table.links[0], 4)
        assert (table.number, asked) == (0, [0])
        table.set_pace(table.links[0], 0)  # it need not wait any longer
        while table.number < 2:
            await asyncio.sleep(0.01)
        driver.end()

    asyncio.run(run())
    assert asked[:2] == [0, 1]


# ---- Hints


@pytest.mark.parametrize("name", ["random", "heuristic", "search:100", "ppo"])
@pytest.mark.parametrize("game", ["muster", "artisans", "murano"])
def test_hints_tell_of_every_legal_action_what_the_agent_can(game, name):
    table, told = opened(HERE, HERE, game=game), 0
    agent = make_agent(name, table.table.game, table.table.options)
    for _ in range(25):
        views, legal = table.views(), [action["id"] for action in table.actions()]
        found = hint(agent, views)
        assert found.best in legal
        assert [row["id"] for row in found.plain(legal)["actions"]] == legal
        if name in ("heuristic", "search:100", "ppo") and len(legal) > 1:
            told += 1
            assert set(found.shares or found.values) == set(legal)
            assert found.best == int(agent.act(views)[0])
            assert found.value is None or -1.01 <= found.value <= 1.01
            assert not found.shares or sum(found.shares.values()) == pytest.approx(1, abs=1e-5)
            if found.values:
                assert found.loss(found.best) == 0
        table.table.play(found.best)
    assert told > 5 or name == "random"


def test_the_hint_of_a_bot_is_what_it_says_of_its_answer():
    table, bot = opened(HERE, HERE), Path(__file__).parent.parent / "bots" / "honest.py"
    agent = make_agent("cmd:" + shlex.join([sys.executable, "-I", "-S", str(bot), "{}"]), MUSTER, table.table.options)
    found, legal = hint(agent, table.views()), [action["id"] for action in table.actions()]
    agent.close()
    plain = found.plain(legal)
    assert (plain["value"], plain["text"]) == (0.5, "game 1")
    assert {row["id"]: row["share"] for row in plain["actions"]} == dict.fromkeys(legal) | {found.best: 1.0}


def test_idle_agents_are_used_again_and_bounded():
    thinkers, options = Thinkers(1), MUSTER.parse_options()
    try:
        agents = [thinkers.answer("heuristic", MUSTER, options, lambda agent: agent) for _ in range(5)]
        assert len(set(map(id, agents))) == 1
        for worlds in range(1, MOST_IDLE + 10):
            thinkers.answer(f"heuristic:{worlds}", MUSTER, options, lambda agent: agent)
        assert len(thinkers._idle) == MOST_IDLE
    finally:
        thinkers.close()


# ---- Agents that fail, and slow ones


class Broken(Agent):
    def act(self, views: Views) -> Actions:
        raise AgentError("it has no plan")


def test_an_agent_that_fails_is_told_and_the_game_can_be_taken_back(monkeypatch):
    monkeypatch.setattr("cardtable_agents.web.thinkers.make_agent", lambda name, game, options: Broken(game, options))
    table = opened(HERE, "random")
    while table.turn == 0:
        table.play(table.links[0], 0, first_action(table), table.number)

    async def drive() -> None:
        thinkers = Thinkers(1)
        driver = Driver(table, thinkers)
        table.listeners.add(driver.notice)
        driver.start()
        while not table.fault:
            await asyncio.sleep(0.01)
        table.take_back(table.links[0])
        assert table.fault == ""
        driver.end()
        await asyncio.wait_for(driver._task, 10)
        thinkers.close()

    asyncio.run(drive())
    assert table.turn == 0


# ---- Options of pages


def test_forms_have_every_option_but_those_that_may_name_files():
    for game in map(find, ("muster", "artisans", "murano")):
        names = {field["name"] for field in catalogue.form(game)}
        assert names | {"num_players", "edition"} == {*game.options.names(), "edition"}
        assert "edition" not in names
        defaults = {field["name"]: field["default"] for field in catalogue.form(game)}
        assert catalogue.options_from_page(game, defaults) == game.parse_options()


def test_choices_of_forms_are_all_that_an_option_takes():
    checked = 0
    for game in map(find, ("muster", "artisans", "murano")):
        for field in catalogue.form(game):
            for value in field["choices"]:
                assert game.parse_options({field["name"]: value})
            if field["kind"] == "choice":
                with pytest.raises(OptionError, match=f"allowed: {', '.join(field['choices'])}"):
                    game.parse_options({field["name"]: "something else"})
                checked += 1
            assert f"{game.id[:3].upper()}-" not in field["meaning"]
            assert ("separated by commas" in field["meaning"]) == (field["kind"] == "text")
    assert checked == 1  # `ring`


def test_the_start_page_is_told_what_each_agent_is(server):
    about = server.get("/api/start").json()["about"]
    assert list(about) == list(catalogue.AGENTS)
    assert all(about.values())
    assert about["search:100"] == about["search:400"] != about["random"]


def test_clashes_are_explained_in_the_words_of_the_options():
    game = find("murano")
    with pytest.raises(OptionError, match=r"draft=True with num_players=1: The Challenge is played without it"):
        catalogue.options_from_page(game, {"num_players": 1, "draft": True})


@pytest.mark.parametrize(
    ("game", "option", "text", "read"),
    [
        ("murano", "advantages", "[1, 2, 3, 4]", [1, 2, 3, 4]),
        ("murano", "advantages", "4, 5,6,7", [4, 5, 6, 7]),
        ("murano", "advantages", "first_game", "first_game"),
        ("artisans", "artisans", "gold_lover, sculptor", ["gold_lover", "sculptor"]),
        ("artisans", "artisans", '["gold_lover", "sculptor"]', ["gold_lover", "sculptor"]),
    ],
)
def test_lists_are_written_as_people_write_them(game, option, text, read):
    assert catalogue.options_from_page(find(game), {option: text}).to_dict()[option] == read


def test_a_list_with_a_wrong_entry_is_refused_and_says_what_is_allowed():
    with pytest.raises(OptionError, match="'golden' is not one of gold_lover, sculptor"):
        catalogue.options_from_page(find("artisans"), {"artisans": "golden, sculptor"})
    with pytest.raises(OptionError, match="'' is not an integer from 1 to 20"):
        catalogue.options_from_page(find("murano"), {"advantages": "4,5,6,"})


@pytest.mark.parametrize("edition", ["/etc/passwd", "reconstruction", {"a": 1}, None])
def test_options_that_may_name_files_are_not_taken_from_pages(edition):
    for game in ("artisans", "murano"):
        with pytest.raises(OptionError, match="not taken from pages"):
            catalogue.options_from_page(find(game), {"edition": edition})


# ---- Over sockets


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


@pytest.mark.parametrize("game", ["muster", "artisans", "murano"])
def test_a_whole_game_over_a_socket_ends_and_gives_a_replay(server, game):
    made = server.open(game, seed=3)
    decisions = 0
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        state = talk.hear_turn()
        while state["turn"] is not None:
            talk.play(state, place=len(state["actions"]) // 2)
            decisions += 1
            state = talk.hear_turn()
    assert decisions > 20
    assert state["end"]["scores"]
    answer = server.post(f"/api/tables/{made['table']}/replay", {"key": made["links"][0]["key"]}).json()
    head = server.get(f"/api/replays/{answer['replay']}").json()
    assert head["result"]["scores"] == state["end"]["scores"]
    print(f"{game}: {decisions} decisions of the person, {len(head['moves'])} in all")


@pytest.mark.parametrize("seed", [-1, 1.5, True, "", "-1", "1.5", "1" * 21, "18446744073709551616", "٣", [], {}])
def test_what_is_no_seed_is_refused(server, seed):
    refused = server.post("/api/tables", {"game": "muster", "seats": ["here", "random"], "seed": seed})
    assert refused.status_code == 400
    assert "allowed: integers from 0" in refused.json()["error"]


def test_an_agent_that_cannot_play_is_refused_before_there_is_a_table(tmp_path):
    missing, muster = f"ppo:{tmp_path}/none.safetensors", f"ppo:{POLICIES}/muster_v0-2.safetensors"
    with serving(Settings(["random", missing, muster])) as server:
        for game, name, words in (("muster", missing, "none.safetensors"), ("murano", muster, "its game is 'muster_v0'")):
            refused = server.post("/api/tables", {"game": game, "seats": ["here", name]})
            assert refused.status_code == 400
            assert refused.json()["error"].startswith(f"{name} cannot play: ")
            assert words in refused.json()["error"]
        assert len(server.site.tables) == 0
        server.open("muster", ("here", muster))


def test_a_replay_is_not_given_before_the_end(server):
    made = server.open()
    refused = server.post(f"/api/tables/{made['table']}/replay", {"key": made["links"][0]["key"]})
    assert refused.status_code == 400
    assert "when the game is over" in refused.json()["error"]


def test_a_game_survives_a_lost_connection(server):
    made = server.open(seed=5)
    key = made["links"][0]["key"]
    with server.joined(made["table"], key) as talk:
        state = talk.hear_turn()
        talk.play(state)
        state = talk.hear_turn()
    with server.joined(made["table"], key) as talk:
        again = talk.hear_turn()
    assert again["picture"] == state["picture"]
    assert again["actions"] == state["actions"]
    assert again["log"]["from"] == 0


def test_two_browsers_at_one_table_see_each_others_moves(server):
    made = server.open(seats=("here", "link"))
    table, (one, other) = made["table"], made["links"]
    with server.joined(table, one["key"]) as first, server.joined(table, other["key"]) as second:
        states = {0: first.hear(), 1: second.hear()}
        talks, moves = {0: first, 1: second}, 0
        for _ in range(30):
            turn = states[0]["turn"]
            talks[turn].play(states[turn])
            number, moves = states[turn]["number"], moves + 1
            for seat, talk in talks.items():
                while states[seat]["number"] <= number:
                    states[seat] = talk.hear()
            assert [states[seat]["seat"] for seat in talks] == [0, 1]
            assert states[0]["decides"] != states[1]["decides"]
    assert moves == 30


def test_hints_and_take_back_and_pace_over_a_socket(server):
    made = server.open(seats=("here", "heuristic"))
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        state = talk.hear_turn()
        talk.say(do="hint", agent="search:100", number=state["number"])
        found = talk.hear("hint")
        assert found["best"] in [action["id"] for action in state["actions"]]
        assert -1 <= found["value"] <= 1
        talk.play(state)
        later = talk.hear_turn()
        talk.say(do="take_back")
        back = talk.hear()
        while back["number"] <= later["number"]:
            back = talk.hear()
        assert back["actions"] == state["actions"]
        talk.say(do="pace", seconds=0.5)
        paced = talk.hear()
        assert (paced["pace"], paced["number"], paced["actions"]) == (0.5, back["number"], back["actions"])
        for wrong in (0.1, -1, "1", True, None, 1e9):
            talk.say(do="pace", seconds=wrong)
            assert "pace=" in talk.hear("refused")["why"]


def test_a_page_does_not_wait_for_another_pages_search(server):
    made = [server.open(seats=("here", "random")) for _ in range(2)]
    with server.joined(made[0]["table"], made[0]["links"][0]["key"]) as thinks:
        state = thinks.hear_turn()
        thinks.say(do="hint", agent="search:1600", number=state["number"])
        with server.joined(made[1]["table"], made[1]["links"][0]["key"]) as plays:
            plays.play(plays.hear_turn())
            plays.hear_turn()
        assert not any(message["type"] == "hint" for message in thinks.heard)
        assert thinks.hear("hint")["agent"] == "search:1600"
