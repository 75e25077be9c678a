"""Secrets: which texts are keys or passwords, and how they are replaced."""
