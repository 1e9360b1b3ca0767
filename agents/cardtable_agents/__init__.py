"""Players, the evaluations and policies that they play by, the arena that rates them, and training."""
