"""Everything compiled, and how it is compiled and kept. Private, but for what a game's own kernels are written with."""
