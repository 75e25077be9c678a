"""Keeps pytest out of ``NAME/start/``: those tests belong to the repository of a session."""

collect_ignore_glob = ["*/start"]
