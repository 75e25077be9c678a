"""Transcripts of agents in, benchmark cases out: one transcript format a file."""
