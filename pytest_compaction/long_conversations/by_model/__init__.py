"""Conversations that a model writes out from a plan."""
