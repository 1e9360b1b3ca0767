"""What actions have in common, from the blocks of an action space: their kind, and the label of each of their axes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from cardtable.game.actions import ActionSpace
from cardtable.types import Counts, Floats


@dataclass(frozen=True)
class Groups:
    """Numbers in groups: those of group i are member[start[i] : start[i + 1]]."""

    start: Counts
    member: Counts
    ones: Floats
    """A 1 for each member: what it counts in a sum."""

    @classmethod
    def of(cls, groups: Sequence[Sequence[int]]) -> "Groups":
        """From lists."""
        start = np.cumsum([0, *map(len, groups)]).astype(np.int64)
        member = np.array([each for group in groups for each in group], np.int64)
        return cls(start, member, np.ones(len(member), np.float32))


@dataclass(frozen=True)
class Features:
    """Which features each action has, and which actions have each feature."""

    number: int
    of_action: Groups
    of_feature: Groups

    @classmethod
    def none(cls, actions: int) -> "Features":
        """No feature at all: every action is learned by itself."""
        return cls(0, Groups.of([[]] * actions), Groups.of([]))


def action_features(actions: ActionSpace) -> Features:
    """What the actions of a space share.

    An action has its block, the label of each axis within the block, and the label wherever another block has an axis of the
    same labels: what is learned of a card when it is played also counts when it is laid aside.
    """
    numbers: dict[object, int] = {}
    rows = [
        [numbers.setdefault(feature, len(numbers)) for feature in features]
        for block in actions.blocks
        for features in _features_of(block.name, block.axes)
    ]
    having: list[list[int]] = [[] for _ in numbers]
    for action, row in enumerate(rows):
        for feature in row:
            having[feature].append(action)
    return Features(len(numbers), Groups.of(rows), Groups.of(having))


def _features_of(block: str, axes: Sequence[Sequence[str]]) -> list[list[object]]:
    """The features of every action of a block, in order."""
    found: list[list[object]] = []
    for labels in product(*axes):
        features: list[object] = [block]
        for place, (axis, label) in enumerate(zip(axes, labels, strict=True)):
            features += [(block, place, label), (tuple(axis), label)]
        found.append(features)
    return found
