"""The sentences and passages of a text, and whether one of them holds key groups."""
