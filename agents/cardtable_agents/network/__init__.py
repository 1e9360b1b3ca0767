"""A network that sees rows: policy over the legal actions and a value for each seat, with gradients written out by hand."""
