"""Codex CLI: its local compaction, and the one of the endpoint."""
