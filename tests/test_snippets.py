"""The Python snippets of all pages run. Nothing but cardtable is needed: the environments of other libraries run theirs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import cardtable

ROOT = Path(cardtable.__file__).resolve().parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "agents" / "examples").rglob("*.md")),
]


def snippets() -> list[tuple[str, str]]:
    """Every Python snippet of the pages, with its page."""
    found = []
    for page in PAGES:
        for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            found.append((page.relative_to(ROOT).as_posix(), code))
    return found


@pytest.mark.parametrize(("page", "code"), snippets(), ids=lambda value: value[:30].strip())
def test_snippets_run(page, code, tmp_path):
    """Pages of other libraries where these are installed; what they warn about on their own is theirs."""
    other = page.startswith("docs/libraries/")
    flags = [] if other else ["-W", "error"]
    done = subprocess.run([sys.executable, *flags, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    missing = re.search(r"^ModuleNotFoundError: No module named '([\w.]+)'", done.stderr, flags=re.MULTILINE)
    if other and missing:
        pytest.skip(f"{missing[1]} is not installed")
    assert done.returncode == 0, f"{page}:\n{code}\n{done.stderr}"
