"""A very small language model over byte-pair pieces."""
