"""What a win is worth: the same to the last bit, compiled or not."""

import numpy as np
import pytest

from cardtable.engine.ending import share_the_win

pytestmark = pytest.mark.rules


@pytest.mark.parametrize(("players", "winners"), [(n, k) for n in (2, 3, 4) for k in range(1, n + 1)])
def test_a_win_is_shared_in_double_precision_and_rounded_once(players, winners):
    out = np.array([1] * winners + [0] * (players - winners), np.float32)
    share_the_win(out, players)
    win, loss = np.float32((players / winners - 1) / (players - 1)), np.float32(-1 / (players - 1))
    assert out.tolist() == [win] * winners + [loss] * (players - winners)


def test_seats_that_do_not_play_are_left_alone():
    out = np.array([1, 0, 7, 7], np.float32)
    share_the_win(out, 2)
    assert out.tolist() == [1, -1, 7, 7]
