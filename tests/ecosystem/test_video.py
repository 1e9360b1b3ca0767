"""The `RecordVideo` wrappers of PettingZoo and Gymnasium make videos of our games with MoviePy, which can be read again."""

import gymnasium
import numpy as np
import pytest

moviepy = pytest.importorskip("moviepy", reason="MoviePy is not installed")

from gymnasium.wrappers import RecordVideo as RecordSolo  # noqa: E402
from pettingzoo.utils.wrappers.record_video import RecordVideo  # noqa: E402

import cardtable  # noqa: E402
from cardtable.game.registry import game_ids  # noqa: E402

FRAMES = 3
CLOSE = 12
"""Levels of 255 by which a video may differ from its frames on average: it is compressed."""


def check_video(folder, first):
    """The one film in a folder begins with this frame."""
    (path,) = folder.glob("*.mp4")
    with moviepy.VideoFileClip(str(path)) as clip:
        assert clip.n_frames >= FRAMES
        seen = clip.get_frame(0)
    assert seen.shape == first.shape
    assert np.abs(seen.astype(float) - first).mean() < CLOSE


@pytest.mark.parametrize("game_id", game_ids())
def test_pettingzoo_makes_a_video(game_id, tmp_path):
    env = RecordVideo(cardtable.make(game_id, render_mode="rgb_array"), str(tmp_path / "films"), video_length=FRAMES)
    env.reset(seed=1)
    first = env.render()
    for _ in range(FRAMES):
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    env.close()
    check_video(tmp_path / "films", first)


def test_gymnasium_makes_a_video_of_the_solo_game(tmp_path):
    solo = gymnasium.make("cardtable/MuranoSolo-v0", render_mode="rgb_array")
    env = RecordSolo(solo, str(tmp_path / "films"), video_length=FRAMES)
    env.reset(seed=1)
    first = env.render()
    for _ in range(FRAMES):
        env.step(int(np.flatnonzero(env.unwrapped.action_masks())[0]))
    env.close()
    check_video(tmp_path / "films", first)
