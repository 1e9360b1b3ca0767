"""`cardtable rules`: the rules in brief, and chapters and clauses on demand."""

import re

import pytest

from cardtable.cli.main import main
from cardtable.errors import OptionError
from cardtable.game.registry import find, game_ids
from cardtable.prompt import rules_in_brief
from cardtable.rulebook import contents, look_up, rulebook, rules_text, search

games = pytest.mark.parametrize("game_id", game_ids())


def printed(capsys, *arguments):
    assert main(["rules", *arguments]) == 0
    return capsys.readouterr().out


def ids(parts):
    return [part.id for part in parts if part.level == 4]


@games
def test_the_brief_comes_first_then_the_chapters(game_id, capsys):
    text = printed(capsys, game_id)
    plain = " ".join(text.split())
    assert " ".join(rules_in_brief(find(game_id)).split()) in plain
    chapters = re.findall(r"^## (.+)", rules_text(find(game_id)), re.MULTILINE)
    assert len(chapters) > 8
    assert all(f"\n{chapter}\n" in text for chapter in chapters)
    assert len(text.splitlines()) < 80


@games
def test_every_clause_and_chapter_of_the_file_is_found_by_its_name(game_id):
    game = find(game_id)
    clauses = re.findall(r"^- \*\*([A-Z]+-[\d.]+[a-z]?)\*\*", rules_text(game), re.MULTILINE)
    assert ids(part for part in rulebook(game) if part.id) == clauses
    for clause in clauses:
        assert clause in ids(look_up(game, clause.lower()))
    for part in contents(game):
        assert part in look_up(game, part.text.upper())
    assert len(clauses) >= 40


@games
def test_no_word_of_the_chapters_is_lost(game_id):
    game = find(game_id)
    text = rules_text(game)
    whole = re.sub(r"[*#]|^- ", "", text[text.index("\n## ") :], flags=re.MULTILINE)
    assert " ".join(f"{part.id} {part.text}" for part in rulebook(game)).split() == whole.split()


def test_a_clause_is_found_by_the_beginning_of_its_id():
    muster, murano = find("muster"), find("murano")
    assert ids(look_up(muster, "MUS-4.6")) == ids(look_up(muster, "4.6")) == [f"MUS-4.6{end}" for end in ("", *"abcd")]
    assert ids(look_up(muster, " mus-4.6A ")) == ["MUS-4.6a"]
    assert ids(look_up(murano, "mur-8.1")) == ["MUR-8.1"]
    assert ids(look_up(murano, "mur-5")) == ids(look_up(murano, "5")) == ["", *(f"MUR-5.{number}" for number in range(1, 5))]


def test_a_chapter_is_found_by_a_part_of_its_title(capsys):
    for wanted in (["negotiate"], ["Nego"], ["5"], ["chapter", "5"]):
        text = printed(capsys, "murano", *wanted)
        assert text.startswith("5 Negotiate\n")
        assert "\nMUR-5.4 R: If none" in text
        assert "MUR-6.1" not in text
    assert printed(capsys, "murano", "turn").startswith("3 The turn")
    assert printed(capsys, "muster", "swap").startswith("4.6 Swap a Rainbow card")


def test_words_are_found_in_clauses(capsys):
    text = printed(capsys, "artisans", "--find", "TOKEN")
    found = re.findall(r"^ART-[\d.]+", text, re.MULTILINE)
    assert found == ids(search(find("artisans"), "token"))
    assert len(found) > 5


@games
def test_all_is_the_whole_file(game_id, capsys):
    assert printed(capsys, game_id, "--all") == rules_text(find(game_id)) + "\n"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_lines_fit_the_window(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    for arguments in (["muster"], ["murano", "advantages"], ["artisans", "--find", "market"]):
        assert max(map(len, printed(capsys, *arguments).splitlines())) <= width


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing like it"], "no chapter and no clause is called 'nothing like it'; chapters: Components, Set-up, "),
        (["MUS-99.9"], "clauses: MUS-1.1 to MUS-9.1"),
        (["--find", "zeppelin"], "no clause speaks of 'zeppelin'"),
        (["--find", ""], "no clause speaks of ''"),
        (["swap", "--all"], "do not go together"),
    ],
)
def test_what_there_is_not_is_refused(arguments, message, capsys):
    assert main(["rules", "muster", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_an_empty_question_has_no_answer():
    with pytest.raises(OptionError):
        look_up(find("muster"), "  ")
