"""The Challenge (MUR-10), Murano for one player, as a Gymnasium environment: `gymnasium.make("cardtable/MuranoSolo-v0")`."""

from typing import Unpack

from cardtable.envs.gymnasium import SoloEnv
from murano_env.env import GAME
from murano_env.types import OptionArguments


class MuranoSolo(SoloEnv):
    """Options are those of Murano that one player can choose: `ring`, `advantages`, `expert_deck`, `edition`."""

    def __init__(self, *, render_mode: str | None = None, **options: Unpack[OptionArguments]) -> None:
        super().__init__(GAME, render_mode=render_mode, **options)
