"""The tables of a run as data, and how they are written as text, Markdown, JSON and CSV."""
