"""`cardtable picture`: a picture of a table, as SVG or PNG; and replays as a page, `cardtable replay FILE --html OUT`."""

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardtable.cli.arguments import LARGEST_NUMBER, add_images, add_options, options_of, positive_integer
from cardtable.cli.command import Command
from cardtable.errors import OptionError
from cardtable.game.registry import find, game_ids
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.support.svg import THEMES

if TYPE_CHECKING:
    from cardtable.table import Table

SVG, PNG = ".svg", ".png"
LARGEST_WIDTH = 4000
"""Pixels."""


def picture_command(args: argparse.Namespace) -> None:
    """Draw the table of a replay, or of a new game, into a file."""
    out = Path(args.out)
    if out.suffix.lower() not in (SVG, PNG):
        raise OptionError(f"--out {shown(args.out)}: the name of a picture ends with {SVG} or {PNG}")
    if args.width is not None and out.suffix.lower() == SVG:
        raise OptionError("--width: an SVG is as wide as it is shown; a PNG has a width")
    require_new(out, overwrite=args.overwrite)
    table = table_of(args)
    seat = None if args.open else table.seat if args.seat is None else args.seat
    drawn = table.picture(seat, theme=args.theme)
    files.write_whole(out, drawn if out.suffix.lower() == SVG else _png(drawn, args.width))
    print(f"{table.game.id} after {len(table.history)} decisions, {viewer_words(seat)}: {out}")


def _png(drawn: str, width: int | None) -> bytes:
    from cardtable import pictures

    if width is not None and width > LARGEST_WIDTH:
        raise OptionError(f"--width {width}: allowed: 1 to {LARGEST_WIDTH} pixels")
    return pictures.png(drawn, width)


def require_new(out: Path, *, overwrite: bool) -> None:
    """Raise `OptionError` if there is something in the place of a file, and `OSError` if it cannot be written."""
    if os.path.lexists(out) and not overwrite:
        raise OptionError(f"{out} exists: choose another file, or overwrite it (--overwrite)")
    files.require_writable(out)


def viewer_words(seat: int | None) -> str:
    """Who sees it."""
    return "all open" if seat is None else f"as player_{seat} sees it"


def table_of(args: argparse.Namespace) -> "Table":
    """The table of a replay after so many of its decisions, or of a new game after so many at random."""
    from cardtable.replay import load_verified, rewound
    from cardtable.table import Table

    if os.path.lexists(args.what):
        if args.option or args.seed is not None:
            raise OptionError(f"{args.what} is a replay: --seed and --option go with a GAME only")
        played = load_verified(args.what)[1]
        if args.images is not None:
            played.show_images(args.images)
        return played if args.step is None else rewound(played, args.step)
    if args.images is not None:
        raise OptionError(f"--images goes with a replay; of a {args.what} table, --option edition=FILE shows them")
    if Path(args.what).suffix:
        raise OptionError(f"{shown(args.what)}: there is no such replay")
    table = Table(find(args.what), options_of(args))
    table.deal(1 if args.seed is None else args.seed)
    return played_at_random(table, args.step or 0)


def played_at_random(table: "Table", decisions: int) -> "Table":
    """The table after so many random decisions more, the same ones for the same deal."""
    generator = np.random.default_rng(table.start["seed"])
    for _ in range(decisions):
        if table.ending:
            raise OptionError(
                f"{table.game.id}: --step {decisions}: this random game is over after {len(table.history)} decisions"
            )
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    return table


def write_page(table: "Table", seat: int | None, out: Path, *, overwrite: bool) -> None:
    """Write a game that has been played as a page that shows it step by step."""
    from cardtable.cli.page import page

    require_new(out, overwrite=overwrite)
    files.write_whole(out, page(table, seat))
    print(f"{len(table.history)} decisions, {viewer_words(seat)}: {out}")


# ---- Arguments


def natural_number(text: str) -> int:
    """An integer from 0, for argparse."""
    if not text.isdecimal() or len(text) > len(str(LARGEST_NUMBER)) or int(text) > LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: integers from 0 to {LARGEST_NUMBER:,}")
    return int(text)


def add_picture(parser: argparse.ArgumentParser) -> None:
    """What is drawn, for whom, and where to."""
    parser.add_argument("what", metavar="GAME|REPLAY", help=f"one of {', '.join(game_ids())}, or the file of a replay")
    parser.add_argument("--out", required=True, metavar="FILE", help="where the picture goes: FILE.svg or FILE.png")
    parser.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    parser.add_argument(
        "--step",
        type=natural_number,
        metavar="N",
        help="after N decisions: of the replay (default: all), or random ones of a new game (default: 0)",
    )
    viewer = parser.add_mutually_exclusive_group()
    viewer.add_argument("--seat", type=int, metavar="S", help="as this seat sees it, from 0 (default: the seat to act)")
    viewer.add_argument("--open", action="store_true", help="with all cards open, as spectators see it")
    parser.add_argument("--theme", choices=THEMES, default="auto", help="auto (default) follows the page that shows it")
    parser.add_argument("--width", type=positive_integer, metavar="PIXELS", help="of a PNG (default: the picture's own)")
    parser.add_argument("--seed", type=int, help="seed of the deal and the random decisions of a new game (default 1)")
    add_images(parser)
    add_options(parser)


COMMAND = Command("picture", picture_command, add_picture)
