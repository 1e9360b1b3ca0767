"""Documents say what the code does: spec pages, pictures, links, names of files, the change log's version."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from test_snippets import PAGES, ROOT

import cardtable
from cardtable.cli import main
from cardtable.game.registry import find, game_ids
from tools import make_page_picture, make_pictures
from tools.make_spec import spec_page, with_tables

FOLDERS = ("agents", "artisans_env", "benchmarks", "cardtable", "docs", "murano_env", "muster_env", "tests", "tools")


@pytest.mark.parametrize("game_id", game_ids())
def test_the_tables_of_the_spec_page_are_printed_from_code(game_id):
    text = spec_page(find(game_id)).read_text(encoding="utf-8")
    assert with_tables(text, find(game_id)) == text, "run: python -m tools.make_spec"
    for heading in ("Rules in brief", "Arguments", "Actions", "Observation", "Rewards", "Version history"):
        assert f"## {heading}" in text


@pytest.mark.parametrize("game_id", game_ids())
def test_pictures_are_drawn_by_code_and_shown(game_id):
    path = make_pictures.path_of(game_id, "svg")
    assert path.read_text(encoding="utf-8") == make_pictures.drawn(game_id), "run: python -m tools.make_pictures"
    assert f"(docs/pictures/{path.name})" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_of_the_page_is_of_the_page_as_it_is_now_and_shown():
    path = make_page_picture.PATH
    assert make_page_picture.made_from(path) == make_page_picture.sources(), "run: python -m tools.make_page_picture"
    assert f"(docs/pictures/{path.name})" in (ROOT / "README.md").read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """What links can point to in a page: its headings, as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"`[^`]*`", "", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^):]+)\)", prose):
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), f"{page.name} -> {target}"
        assert not anchor or anchor in anchors(linked), f"{page.name} -> {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_pages_name_exist(page):
    code = " ".join(re.findall(r"`([^`\n]+)`", page.read_text(encoding="utf-8")))
    for path in re.findall(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./*<>-]*", code):
        pattern = path.rstrip("/").replace("<game>", "*")
        assert re.search(r"[_-]v\d$", path) or any(ROOT.glob(pattern)), f"{page.name} names {path}"  # or an environment


def commands(page: Path) -> list[str]:
    """The lines of a page's blocks that call `cardtable`; a variable of the shell stands for 1."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    lines = "\n".join(code for language, code in blocks if language == "sh").replace("\\\n", " ").splitlines()
    return [re.sub(r"\$\w+", "1", line) for line in lines if line.startswith("cardtable ")]


def test_commands_of_pages_have_arguments_that_there_are():
    found = [line for page in PAGES for line in commands(page)]
    assert len(found) > 60
    for line in found:
        main.make_parser().parse_args(main._words(shlex.split(line, comments=True)[1:]))


def test_the_page_of_installation_lists_every_extra():
    """One row for each, and none for what is not there."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs" / "installation.md").read_text(encoding="utf-8")
    _, _, table = page.partition("## Extras")
    assert sorted(re.findall(r"^\| `(\w+)` \|", table.partition("## ")[0], flags=re.MULTILINE)) == sorted(extras)


def test_the_change_log_names_this_version():
    assert f"## {cardtable.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_names_this_version():
    assert f"version: {cardtable.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
