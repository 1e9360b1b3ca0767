"""Terminal play, by scripted input."""

import io
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from helpers import SALT, open_table, variant_id

from cardtable.cli import terminal
from cardtable.cli.choosing import choices_of, folded
from cardtable.cli.main import main
from cardtable.cli.screen import NARROWEST, Screen
from cardtable.engine.jit import COMPILED
from cardtable.errors import AgentError, OptionError
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import view_of
from cardtable.replay import Replay
from cardtable.table import Table


class Person:
    """Types what a script says, then always the first move; reads everything."""

    def __init__(self, *script: str, then: str | None = "1") -> None:
        self._script: Iterator[str] = iter(script)
        self._then = then
        self.read = ""

    def ask(self, prompt: str) -> str:
        typed = next(self._script, self._then)
        if typed is None:
            raise EOFError
        self.read += f"{prompt}{typed}\n"
        return typed

    def say(self, text: str) -> None:
        self.read += text + "\n"


def sit_down(person, game_id, tmp_path, against=("random",), options=None, **rest):
    rest = {"seed": 7, "save": tmp_path / "game.json", "overwrite": True, **rest}
    path = terminal.play(find(game_id), options or {}, against, ask=person.ask, say=person.say, **rest)
    return Replay.load(path)


@pytest.mark.parametrize("game_id", game_ids())
def test_a_whole_game_is_played_and_saved(game_id, tmp_path):
    person = Person()
    replay = sit_down(person, game_id, tmp_path, against=["heuristic"])
    assert replay.verify().ending
    assert replay.start == {"seed": 7, "index": 0}
    assert "you are player_0" in person.read
    assert re.search(r"^player_1\b", person.read, re.MULTILINE)
    assert any(word in person.read for word in ("you win", "you lose", "a shared win"))


def test_moves_are_numbered_in_the_order_of_their_ids(tmp_path):
    person = Person("3", "q")
    replay = sit_down(person, "muster", tmp_path)
    table = find("muster")
    start = Replay.play(table, replay.options, replay.start, []).verify()
    assert replay.moves[0]["action"] == start.legal_actions()[2]
    assert f"  3 {start.legal_actions()[2]}" in person.read


def test_a_mistyped_number_is_explained_or_taken_back(tmp_path):
    person = Person("0", "999", "one", "u", "2", "u", "1", then="q")
    replay = sit_down(person, "muster", tmp_path)
    assert person.read.count("moves are 1 to") == 3
    assert "you have no move to take back" in person.read
    straight = sit_down(Person("1", then="q"), "muster", tmp_path)
    assert replay.moves == straight.moves


def test_taking_back_takes_back_the_answers_too(tmp_path):
    person = Person("1", "1", "1", "u", "u", "u", then="q")
    assert sit_down(person, "muster", tmp_path).moves == []


def test_a_hint_is_what_search_would_do(tmp_path):
    person = Person("h", "t", then="q")
    replay = sit_down(person, "muster", tmp_path, hint="search:30")
    assert replay.moves == []
    hint = person.read.partition("hint: ")[2].splitlines()[0]
    number, name = hint.split(" ", 1)
    assert f"{number:>3} {name.strip('()')}" in person.read


def test_a_question_mark_shows_the_legend_and_with_a_move_what_it_does(tmp_path):
    person = Person("?", "? 3", "? draw", then="q")
    replay = sit_down(person, "muster", tmp_path)
    assert replay.moves == []
    read = " ".join(person.read.split())
    for sign in find("muster").legend:
        assert f"{sign.shown}: {sign.meaning}" in read
    wizard = Replay.play(find("muster"), {}, {"seed": 7, "index": 0}, []).verify()
    name, does = wizard.legal_actions()[2], wizard.explain(int(np.flatnonzero(wizard.mask)[2]))
    assert f"> ? 3 3 {name}: {does} - play a Wizard onto the own column (MUS-4.2)" in read
    assert "? 'draw': moves are 1 to" in read


def test_moves_are_listed_with_what_they_do(tmp_path):
    person = Person(then="q")
    sit_down(person, "artisans", tmp_path)
    assert "choose gold_lover: 4 points for each of your objects that requires gold" in " ".join(person.read.split())


def test_the_rules_can_be_read_in_the_game(tmp_path):
    person = Person("r", "r mus-4.2", "r zeppelin", then="q")
    assert sit_down(person, "muster", tmp_path).moves == []
    for words in (
        "Whoever holds more of the five castles",
        "Chapters:",
        "`r CHAPTER`",
        "MUS-4.2 A Wizard/Bridge card",
        "'zeppelin'",
    ):
        assert words in person.read
    assert "cardtable rules" not in person.read


def test_the_person_is_called_you_and_the_others_by_their_agents(tmp_path):
    person = Person(*"11111", then="1")
    sit_down(person, "muster", tmp_path)
    read = " ".join(person.read.split())
    assert "you are player_0 against random (player_1)." in read
    assert "you take an action" in read
    assert "last moves: you: " in read
    assert re.search(r"; player_1: \w+ ", read)
    assert re.search(r"(you win|you lose|a shared win): you \d, random \(player_1\) \d", read)


def test_nothing_is_coloured_where_the_output_is_a_pipe(tmp_path):
    person = Person(*"1111", then="q")  # the captured output is no terminal
    sit_down(person, "murano", tmp_path, against=["random"], hint="random")
    assert "\x1b" not in person.read


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_no_line_of_a_session_is_longer_than_the_window(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    person = Person("?", "r", "h", *"1111", "play", then="q")
    sit_down(person, "murano", tmp_path, hint="random")
    said = [line for line in person.read.splitlines() if not line.startswith((">", "replay: "))]
    assert len(said) > 60
    assert max(map(len, said)) <= columns


def test_advice_and_agents_do_not_see_hidden_cards(tmp_path):
    """The advice is that for a table on which all that the seat cannot know was drawn anew."""
    game = find("muster")
    options = game.parse_options({})
    table = Table(game, options)
    table.deal(7)
    agent = make_agent("search:30", game, options)
    views = [view_of(each, SALT) for each in (table, table.redeal(0, 1), table.redeal(0, 2))]
    assert len({int(agent.act(view)[0]) for view in views}) == 1
    assert not np.array_equal(table.redeal(0, 1).record.hand[1], table.redeal(0, 2).record.hand[1])


def test_who_leaves_keeps_the_replay(tmp_path):
    for person in (Person("1", "1", "q"), Person("1", "1", then=None)):
        replay = sit_down(person, "artisans", tmp_path, options={"num_players": 3}, seat=2)
        assert replay.result is None
        assert sum(move["seat"] == 2 for move in replay.moves) == 2
        replay.verify()
        assert "replay:" in person.read


def test_the_command_reads_standard_input(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nq\n"))
    monkeypatch.chdir(tmp_path)
    assert main(["play", "muster", "--against", "random", "--seed", "11"]) == 0
    assert "replay: muster_v0-11.json" in capsys.readouterr().out
    assert Replay.load(tmp_path / "muster_v0-11.json").moves


def test_secret_moves_of_others_stay_secret(tmp_path):
    person = Person(then="q")
    replay = sit_down(person, "murano", tmp_path, options={"draft": True}, seat=1)
    assert replay.moves
    assert "player_0 keeps a hidden card" in person.read
    assert not re.search(rf"{replay.moves[0]['action']}\b", person.read)


@pytest.mark.parametrize("advised", [True, False])
def test_a_person_alone_at_the_table_gets_advice_where_there_is_some(advised, tmp_path, monkeypatch):
    person = Person("1", "h", then="q")
    if not advised:
        monkeypatch.setattr("cardtable.cli.terminal.ADVISOR", "nobody")
    replay = sit_down(person, "murano", tmp_path, options={"num_players": 1})
    assert [move["seat"] for move in replay.moves] == [0]
    assert ("no agent can give advice" in person.read) != advised


def test_advice_that_may_not_be_played_is_no_hint(tmp_path, monkeypatch):
    class Stubborn(Agent):
        def act(self, views):
            return views.mask.argmin(axis=1)

    monkeypatch.setattr("cardtable.players.roster.make_agent", lambda name, game, options: Stubborn(game, options))
    person = Person("h", then="q")
    sit_down(person, "muster", tmp_path)
    assert "no hint: " in person.read


def test_a_move_is_played_by_its_name_or_an_unambiguous_beginning(tmp_path):
    first = Replay.play(find("muster"), {}, {"seed": 7, "index": 0}, []).verify().legal_actions()
    name = first[-1]
    shortest = next(name[:end] for end in range(1, len(name) + 1) if sum(each.startswith(name[:end]) for each in first) == 1)
    for typed in (name, f"  {name.upper().replace(' ', '   ')} ", shortest):
        assert sit_down(Person(typed, then="q"), "muster", tmp_path).moves[0]["action"] == name


def test_an_ambiguous_beginning_lists_the_candidates(tmp_path):
    first = Replay.play(find("muster"), {}, {"seed": 7, "index": 0}, []).verify().legal_actions()
    meant = [f"{number:>3} {name}" for number, name in enumerate(first, start=1) if name.startswith("play")]
    person = Person("play", then="q")
    assert sit_down(person, "muster", tmp_path).moves == []
    listed = person.read.partition(f"'play' may be one of {len(meant)} moves:")[2]
    assert listed
    assert all(line in listed for line in meant)


def test_enter_plays_the_only_move_or_shows_the_table_again(tmp_path):
    person = Person("", then="q")
    assert sit_down(person, "muster", tmp_path).moves == []
    assert person.read.count("your hand") == 2
    table = Table("muster")
    table.deal(7)
    session = terminal.Session(table, 0, {}, None, Person("").ask, lambda text: None)
    only = int(np.flatnonzero(table.mask)[3])
    table.mask[:] = 0
    table.mask[only] = 1
    session._person_plays()
    assert table.history == [only]


def test_what_agents_do_is_told_as_the_seat_saw_it(tmp_path):
    person = Person(*"11111", then="q")
    replay = sit_down(person, "muster", tmp_path)
    assert any(move["seat"] == 1 and move["action"] == "draw from pile" for move in replay.moves)
    assert "player_1 draws a hidden card from the pile" in person.read
    assert not re.search(r"^player_1: draw from pile", person.read, re.MULTILINE)
    assert not re.search(r"^player_0(:| plays| draws| lays)", person.read, re.MULTILINE)


@pytest.mark.parametrize("columns", [20, 60, 200])
def test_moves_are_wrapped_to_the_window(columns, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    person = Person(then="q")
    sit_down(person, "muster", tmp_path)
    moves = [line for line in person.read.splitlines() if re.match(r" {0,2}\d+ [a-z]", line)]
    assert moves
    assert max(map(len, moves)) <= max(columns, NARROWEST)


def test_agents_and_advisor_are_compiled_before_the_first_question(tmp_path, monkeypatch):
    prepared = []

    class Ready(Agent):
        def prepare(self):
            prepared.append(self)

        def act(self, views):
            pytest.fail("nobody has moved")

    monkeypatch.setattr("cardtable.players.roster.make_agent", lambda name, game, options: Ready(game, options))

    def ask(prompt):
        assert len(prepared) == 2
        return "q"

    terminal.play(find("muster"), {}, ["x"], seed=7, save=tmp_path / "game.json", ask=ask, say=lambda text: None)
    assert len(prepared) == 2


# ---- Going on with a game that was left


def left_game(path, game_id="muster", moves=4, table=None):
    table = table or Table(game_id)
    if not table.dealt:
        table.deal(7)
    for _ in range(moves):
        table.play(int(np.flatnonzero(table.mask)[0]))
    Replay.of(table).save(path)
    return table


def go_on(person, path, **rest):
    return terminal.resume(path, ["random"], ask=person.ask, say=person.say, **rest)


def test_a_game_that_was_left_goes_on_in_a_new_file(tmp_path):
    path = tmp_path / "game.json"
    left_game(path)
    before = path.read_bytes()
    written = go_on(Person(*"11", then="q"), path)
    assert written == tmp_path / "game-2.json"
    assert path.read_bytes() == before
    old, new = Replay.load(path), Replay.load(written)
    new.verify()
    assert new.moves[: len(old.moves)] == old.moves
    assert len(new.moves) > len(old.moves)
    assert go_on(Person("1", then="q"), path, overwrite=True) == path
    assert len(Replay.load(path).moves) > len(old.moves)


def starts():
    table = Table("muster")
    table.deal(7, 3)
    state = Table("muster")
    state.load_state_dict(table.state_dict())
    return {"number": table, "state": state}


@pytest.mark.parametrize("start", ["number", "state"])
def test_moves_made_before_a_game_was_left_are_taken_back_too(start, tmp_path):
    path = tmp_path / "game.json"
    left_game(path, table=starts()[start])
    person = Person(*"uu", then="q")
    written = Replay.load(go_on(person, path))
    assert written.moves == []
    assert written.start == Replay.load(path).start
    assert "no move to take back" not in person.read


def test_the_command_goes_on_with_a_game(tmp_path, monkeypatch, capsys):
    left_game(tmp_path / "game.json")
    monkeypatch.chdir(tmp_path)
    for arguments in ([], ["muster"]):
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        assert main(["play", "--resume", "game.json", *arguments, "--against", "random"]) == 0
    assert "replay: game-3.json" in capsys.readouterr().out


def test_what_cannot_go_on_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table = left_game(tmp_path / "left.json")
    while not table.ending:
        table.play(int(np.flatnonzero(table.mask)[0]))
    Replay.of(table).save("over.json")
    text = (tmp_path / "left.json").read_text()
    (tmp_path / "damaged.json").write_text(text.replace('"seat": 1', '"seat": 0', 1))
    (tmp_path / "cut.json").write_text(text[:100])
    files_before = sorted(tmp_path.iterdir())
    for arguments, message in (
        (["--resume", "over.json"], "over.json: the game is over after"),
        (["--resume", "left.json", "murano"], "left.json: the replay is of muster_v0, not of murano_v0"),
        (["--resume", "damaged.json"], "damaged.json: muster_v0: the replay diverges at step"),
        (["--resume", "cut.json"], "cut.json: not a replay"),
        (["--resume", "missing.json"], "missing.json: cannot be read"),
        (["--resume", "left.json", "--seat", "2"], "seat=2: allowed: 0 to 1"),
        (["--resume", "left.json", "--seed", "3"], "--seed does not go with --resume"),
        (["--resume", "left.json", "-o", "max_turns=3"], "--option does not go with --resume"),
        (["--resume", "left.json", "--save", "over.json"], "over.json exists"),
        ([], "no GAME is named: allowed: "),
    ):
        assert main(["play", *arguments]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == files_before


# ---- Nothing lost


def test_an_earlier_game_of_the_same_seed_stays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    played = [sit_down(Person("1", "q"), "muster", tmp_path, save=None, overwrite=False) for _ in range(3)]
    names = ["muster_v0-7.json", "muster_v0-7-2.json", "muster_v0-7-3.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    assert all(Replay.load(name).moves == replay.moves for name, replay in zip(names, played, strict=True))


def nobody_is_asked(prompt):
    pytest.fail("the game has begun")


def test_a_file_that_exists_is_refused_before_the_game(tmp_path, capsys):
    path = tmp_path / "game.json"
    path.write_text("mine")
    with pytest.raises(OptionError, match=r"game\.json exists: choose another file, or overwrite it \(--overwrite\)"):
        terminal.play(find("muster"), {}, ["random"], seed=7, save=path, ask=nobody_is_asked)
    assert main(["play", "muster", "--against", "random", "--save", str(path)]) == 2
    assert "exists" in capsys.readouterr().err
    assert path.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_refused_before_the_game(tmp_path):
    for path in (tmp_path / "nowhere" / "game.json", tmp_path):
        with pytest.raises(OSError, match=path.name):
            terminal.play(find("muster"), {}, ["random"], seed=7, save=path, overwrite=True, ask=nobody_is_asked)


def test_a_game_whose_place_is_gone_after_it_is_kept_elsewhere(tmp_path, monkeypatch, capsys):
    """A full disk, a stick pulled out, a folder removed."""
    folder = tmp_path / "stick"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    class Keyboard(io.StringIO):
        def readline(self):
            folder.rmdir()
            return "q\n"

    monkeypatch.setattr("sys.stdin", Keyboard())
    assert main(["play", "muster", "--against", "random", "--seed", "7", "--save", str(folder / "game.json")]) == 2
    error = capsys.readouterr().err
    assert "could not be written" in error
    Replay.load(error.rpartition("it was saved to ")[2].strip()).verify()


def test_a_file_that_appears_during_the_game_is_not_overwritten(tmp_path):
    path = tmp_path / "game.json"

    def ask(prompt):
        path.write_text("mine")
        return "q"

    written = terminal.play(find("muster"), {}, ["random"], seed=7, save=path, ask=ask, say=lambda text: None)
    assert path.read_text() == "mine"
    assert written == tmp_path / "game-2.json"
    Replay.load(written).verify()


class Fails(Agent):
    def act(self, views):
        raise ZeroDivisionError


def test_a_game_that_ends_in_an_error_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("cardtable.players.roster.make_agent", lambda name, game, options: Fails(game, options))
    person = Person()
    with pytest.raises(ZeroDivisionError):
        sit_down(person, "muster", tmp_path)
    assert Replay.load(tmp_path / "game.json").moves
    assert person.read.splitlines()[-1] == f"replay: {tmp_path / 'game.json'}"


def test_an_interrupt_while_the_game_is_saved_is_heard_when_it_is_saved(tmp_path, monkeypatch):
    save = Replay.save

    def interrupted(self, path):
        signal.raise_signal(signal.SIGINT)
        save(self, path)

    monkeypatch.setattr(Replay, "save", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sit_down(Person("1", "q"), "muster", tmp_path)
    assert Replay.load(tmp_path / "game.json").moves


def test_answers_of_any_length_are_no_moves(tmp_path):
    person = Person("9" * 5000, "x" * 5000, "q")
    assert sit_down(person, "muster", tmp_path).moves == []
    assert max(map(len, (line for line in person.read.splitlines() if "moves are" in line))) < 400


def test_wrong_seats_and_agents_are_refused(tmp_path):
    with pytest.raises(OptionError, match="seat=2: allowed: 0 to 1"):
        sit_down(Person(), "muster", tmp_path, seat=2)
    with pytest.raises(AgentError, match="2 agents for 1 other seats"):
        sit_down(Person(), "muster", tmp_path, against=["random", "heuristic"])
    with pytest.raises(AgentError, match="no agent is called"):
        sit_down(Person(), "muster", tmp_path, against=["nobody"])


def test_agents_have_random_bits_of_their_own_in_every_session():
    """A seed that is played again deals the same cards; what agents draw cannot be learned from an earlier session."""
    game, person = find("muster"), Person()
    table = Table(game, game.parse_options({}))
    table.deal(7)
    sessions = [terminal.Session(table, 1, {}, None, person.ask, person.say) for _ in range(2)]
    first, again, second = (session._view().key[0] for session in (sessions[0], sessions[0], sessions[1]))
    assert first == again != second


# ---- Windows


def decision_screen(table):
    """What the person at the seat to act is shown in a window, with the prompt."""
    person = Person()
    agents = {seat: "search:400" for seat in range(table.players) if seat != table.seat}
    session = terminal.Session(table, table.seat, {}, None, person.ask, person.say, agents)
    session._screen, session._choices = Screen(window=True), choices_of(table)
    session._show()
    return [*person.read.splitlines(), "> "]


def positions_of(game_id, options):
    table, generator = open_table(find(game_id), dict(options), 3), np.random.default_rng(5)
    for _ in range(120):
        if table.ending:
            break
        yield table
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


@pytest.mark.parametrize("options", find("murano").variants, ids=variant_id)
def test_decisions_of_murano_fit_a_window_of_80_by_24(options, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    for table in positions_of("murano", options):
        screen = decision_screen(table)
        assert len(screen) <= 24
        assert max(map(len, screen)) <= 80
        text = "\n".join(screen)
        mine = f"player_{table.seat}"
        assert all(card in text for card in table.view(table.seat)["hand"][mine])
        assert f"{table.view(table.seat)['lira'][mine]}L" in text


def test_a_window_with_room_shows_all_of_the_table(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = open_table(find("murano"), {}, 3)
    full = table.text(0, width=80, agents={1: "search:400"})
    for lines, whole in ((60, True), (24, False)):
        monkeypatch.setenv("LINES", str(lines))
        assert ("\n".join(decision_screen(table)).startswith(full)) == whole


@pytest.mark.parametrize("game_id", game_ids())
def test_folded_moves_keep_their_numbers_and_last_words(game_id):
    for table in positions_of(game_id, {}):
        choices = choices_of(table)
        cells = re.findall(r"(?:^| {3})(\d+)(?:-(\d+))? ", "\n".join(folded(choices, 80)), re.MULTILINE)
        numbers = [number for first, last in cells for number in range(int(first), int(last or first) + 1)]
        assert numbers == [choice.number for choice in choices]


LATE = """
import sys
from pathlib import Path
from numba.core.dispatcher import Dispatcher
from cardtable.cli import terminal
from cardtable.engine.store import Store
from cardtable.game.registry import find, game_ids

Store.is_ready = lambda self, group: False  # so that all is compiled that is meant to be, or loaded from the cache
late, asked, compile = [], 0, Dispatcher.compile

def noted(self, types):
    if asked:
        late.append(self.py_func.__qualname__)
    return compile(self, types)

def ask(prompt):
    global asked
    asked += 1
    return {2: "h", 4: "u"}.get(asked, "1" if asked < 60 else "q")

Dispatcher.compile = noted
for game_id in game_ids():
    asked = 0
    terminal.play(find(game_id), {}, sys.argv[1:2], seed=3, hint="search:20", save=Path(sys.argv[2], game_id), ask=ask,
                  say=lambda text: None)
print(late)
"""


@pytest.mark.skipif(not COMPILED, reason="nothing is compiled in plain Python")
@pytest.mark.parametrize("agent", ["heuristic", "search:20", "ppo"])
def test_all_that_is_compiled_is_compiled_before_the_first_question(agent, tmp_path):
    script = [sys.executable, "-c", LATE, agent, str(tmp_path)]
    assert subprocess.run(script, capture_output=True, text=True, check=True).stdout.splitlines()[-1] == "[]"
