"""The message objects that other people's functions expect, handed in and read back."""
