"""Nuggets judged by rules, and the events of an answer in its order."""
