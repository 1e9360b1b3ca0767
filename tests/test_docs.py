"""Documents say what the code does: spec pages, the README's snippets, the change log's version."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cardtable
from cardtable.game.registry import find, game_ids
from tools.make_spec import spec_page, with_tables

ROOT = Path(cardtable.__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("game_id", game_ids())
def test_the_tables_of_the_spec_page_are_printed_from_code(game_id):
    text = spec_page(find(game_id)).read_text(encoding="utf-8")
    assert with_tables(text, find(game_id)) == text, "run: python tools/make_spec.py"
    for heading in ("Rules in brief", "Arguments", "Actions", "Observation", "Rewards", "Version history"):
        assert f"## {heading}" in text


def snippets() -> list[tuple[str, str]]:
    """Every Python snippet of the pages, with its page."""
    found = []
    for page in PAGES:
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            found.append((page.name, code))
    return found


@pytest.mark.parametrize(("page", "code"), snippets(), ids=lambda value: value[:30].strip())
def test_snippets_run(page, code, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{page}:\n{code}\n{done.stderr}"


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} -> {target}"


def test_the_change_log_names_this_version():
    assert f"## {cardtable.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_citation_names_this_version():
    assert f"version: {cardtable.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_tests_and_modules_that_pages_name_exist():
    for page in PAGES:
        for named in re.findall(
            r"`((?:tests|tools|cardtable|agents|benchmarks|\w+_env)/[\w/]+\.(?:py|md|toml|json|jsonl))`",
            page.read_text(encoding="utf-8"),
        ):
            assert (ROOT / named).exists(), f"{page.name} names {named}"
