"""A network that RLlib has trained as a policy that `ppo:PATH` plays: needs `cardtable[rllib]`."""

from pathlib import Path
from typing import TypeAlias

from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModule

from cardtable.envs.rllib import SHARED, MaskedNetwork
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.support.messages import shown
from cardtable_agents.players.policy import Policy, save
from cardtable_agents.training.torch_layers import layers_of

Trained: TypeAlias = Algorithm | RLModule | str | Path
"""What holds a network of ours: an algorithm, the network itself, or the folder of a checkpoint."""

NETWORKS = Path("learner_group", "learner", "rl_module")
"""Where the checkpoint of an algorithm has its networks, one folder each."""
NAMES = (DEFAULT_MODULE_ID, SHARED)
"""What they are called by `config` and by `self_play`."""


def export(trained: Trained, path: str | Path) -> None:
    """Write the policy of a network to a file that holds numbers and no code, for `ppo:PATH`.

    A checkpoint of RLlib is made of pickles: whoever has written it can run code here. Give only folders that you trust.
    """
    network = network_of(trained)
    about = {"made": "by RLlib", "layers": network.model_config["layers"]}
    save(Path(path), find(network.model_config["game"]), policy_of(network), about)


def policy_of(network: MaskedNetwork) -> Policy:
    """The network's policy for numpy; a copy."""
    return Policy(layers_of(network.policy))


def network_of(trained: Trained) -> MaskedNetwork:
    """The network of ours in what was given; `AgentError` if there is none."""
    found = trained
    if isinstance(trained, str | Path):
        found = _read(Path(trained))
    elif isinstance(trained, Algorithm):
        found = next(filter(None, map(trained.get_module, NAMES)), None)
    if not isinstance(found, MaskedNetwork):
        what = "an algorithm, a MaskedNetwork or the folder of a checkpoint, made by cardtable.envs.rllib"
        raise AgentError(f"RLlib: {shown(trained)}: expected {what}")
    return found


def _read(folder: Path) -> RLModule | None:
    """The network in a checkpoint of an algorithm; None if there is none that we know."""
    for name in NAMES:
        if (folder / NETWORKS / name).is_dir():
            return RLModule.from_checkpoint((folder / NETWORKS / name).absolute())
    return None
