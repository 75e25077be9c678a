"""Gemini CLI: masking of tool output and a checked snapshot."""
