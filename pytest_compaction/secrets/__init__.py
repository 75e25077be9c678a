"""Secrets: recognise keys, passwords and home folders in a text, and replace them."""
