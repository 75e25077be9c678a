"""Importers: read the transcripts of agents into messages, one module or folder per format."""
