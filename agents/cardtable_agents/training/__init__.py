"""Training a policy: imitation, then reinforcement learning; checkpoints, log, evaluation."""
