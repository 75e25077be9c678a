"""The message objects that other libraries' functions expect, handed in and read back."""
