"""A part of an arena for each of several machines: `--shard 2/8`."""

import argparse
from dataclasses import dataclass

from cardtable.support.messages import shown

MOST_SHARDS = 100_000


@dataclass(frozen=True)
class Shard:
    """Part `number` of `of`, counted from 1."""

    number: int
    of: int

    def __call__(self, deals: int) -> range:
        """Which of so many deals this part plays: as many as any other, or one more."""
        return range(deals * (self.number - 1) // self.of, deals * self.number // self.of)

    def aligned(self, deals: int, grain: int) -> range:
        """Likewise, with parts that begin at multiples of a grain."""
        grains = self(-(-deals // grain))
        return range(grains.start * grain, min(grains.stop * grain, deals))

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


def shard(text: str) -> Shard:
    """`2/8` as a shard, for argparse."""
    number, slash, of = text.partition("/")
    digits = slash and all(each.isascii() and each.isdecimal() and len(each) <= len(str(MOST_SHARDS)) for each in (number, of))
    if not digits or not 1 <= int(number) <= int(of) <= MOST_SHARDS:
        raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: I/N with 1 <= I <= N <= {MOST_SHARDS:,}, such as 2/8")
    return Shard(int(number), int(of))
