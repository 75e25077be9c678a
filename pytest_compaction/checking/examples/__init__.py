"""Conversations that invariants are checked on: generated ones and known situations."""
