"""Sessions and checkpoints of Gemini CLI."""
