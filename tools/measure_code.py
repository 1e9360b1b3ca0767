"""How large and how typed the code is: `python -m tools.measure_code [FOLDER]` prints a table of the packages in a folder.

It counts the packages that are installed, not tests and tools. A function's length is its lines from `def` to the end, with
docstring, blank lines and inner functions.
"""

import argparse
import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

PACKAGES = ("cardtable", "muster_env", "artisans_env", "murano_env", "agents")
LONG_FILE = 450
"""Lines of a file that is named."""
HEADER: tuple[str, ...] = ("package", "files", "lines", "functions", "median", "p90", "parameters", "Any", "share")


@dataclass
class Measure:
    """What was counted in some files."""

    files: dict[Path, int] = field(default_factory=dict)
    """Lines of each."""
    lengths: list[int] = field(default_factory=list)
    """Lines of each function."""
    parameters: int = 0
    """Annotated ones; `self` and `cls` are not."""
    untyped: int = 0
    """Of those, how many are `Any`."""

    def add(self, path: Path) -> None:
        """Count a file."""
        text = path.read_text(encoding="utf-8")
        self.files[path] = text.count("\n")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
                for annotation in annotations(node.args):
                    self.parameters += 1
                    self.untyped += ast.unparse(annotation) == "Any"

    def join(self, other: "Measure") -> None:
        """Count what another one counted."""
        self.files |= other.files
        self.lengths += other.lengths
        self.parameters += other.parameters
        self.untyped += other.untyped

    def row(self, name: str) -> tuple[str, ...]:
        """The counts as a row of the table."""
        p90 = quantiles(self.lengths, n=10)[-1] if len(self.lengths) > 1 else 0
        middle = median(self.lengths) if self.lengths else 0
        share = self.untyped / self.parameters if self.parameters else 0
        sizes = (len(self.files), sum(self.files.values()), len(self.lengths), f"{middle:.0f}", f"{p90:.0f}")
        return (name, *map(str, sizes), str(self.parameters), str(self.untyped), f"{share:.1%}")


def annotations(arguments: ast.arguments) -> Iterator[ast.expr]:
    """The annotations of a function's parameters."""
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    for each in named:
        if each is not None and each.annotation is not None:
            yield each.annotation


def measure(folder: Path) -> Measure:
    """Count all Python files of a package."""
    found = Measure()
    for path in sorted(folder.rglob("*.py")):
        if "examples" not in path.parts:
            found.add(path)
    return found


def main() -> None:
    """Print the table, then the long files."""
    described = argparse.ArgumentParser(description=__doc__)
    described.add_argument("folder", nargs="?", type=Path, default=Path(), help="where the packages are (the current folder)")
    root: Path = described.parse_args().folder
    total, rows = Measure(), [HEADER]
    for name in PACKAGES:
        found = measure(root / name)
        rows.append(found.row(name))
        total.join(found)
    rows.append(total.row("all"))
    for first, *numbers in rows:
        print(f"{first:<14}", *(f"{number:>10}" for number in numbers))
    long = {path: lines for path, lines in total.files.items() if lines > LONG_FILE}
    print(f"\nfiles over {LONG_FILE} lines: {len(long)}")
    for path, lines in sorted(long.items(), key=lambda item: -item[1]):
        print(f"{lines:>6}  {path.relative_to(root)}")


if __name__ == "__main__":
    main()
