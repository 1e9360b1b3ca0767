"""A network of Stable-Baselines3 as a policy for numpy."""

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from cardtable_agents.players.policy import Policy
from cardtable_agents.training.torch_layers import layers_of


def policy_of(network: MaskableActorCriticPolicy) -> Policy:
    """The network's policy for numpy; a copy. Its value is a network of its own, and no part of the policy."""
    return Policy(layers_of([*network.mlp_extractor.policy_net, network.action_net]))
