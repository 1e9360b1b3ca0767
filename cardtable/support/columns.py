"""Tables as plain text: no colours, no cell is ever cut, the same in a file and in a pipe."""

import shutil
import sys
from collections.abc import Sequence

GAP = "  "
PAD = {"l": str.ljust, "r": str.rjust}


def aligned(rows: Sequence[Sequence[str]], sides: str, longest: int | None = None) -> str:
    """Rows of cells as lines; `sides` tells of each column whether it is aligned to the left, `l`, or to the right, `r`.

    Columns are as wide as their widest cell. Where a line would be longer than `longest`, the columns that do not fit follow
    below, beside the first one again.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [[PAD[side](cell, width) for side, cell, width in zip(sides, row, widths, strict=True)] for row in rows]
    blocks = _blocks(widths, longest) if longest is not None else [range(len(widths))]
    return "\n\n".join("\n".join(GAP.join(line[column] for column in block).rstrip() for line in lines) for block in blocks)


def _blocks(widths: Sequence[int], longest: int) -> list[list[int]]:
    """The columns that stand beside each other; the first one, which names the rows, in every block."""
    blocks = [[0]]
    for column in range(1, len(widths)):
        taken = sum(widths[other] + len(GAP) for other in blocks[-1])
        if len(blocks[-1]) > 1 and taken + widths[column] > longest:
            blocks.append([0])
        blocks[-1].append(column)
    return blocks


def terminal_width() -> int | None:
    """How many characters a line of the terminal has; None if the output is a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None
