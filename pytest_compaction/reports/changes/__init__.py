"""What changed between two runs, as lines of the terminal, Markdown and JSON."""
