"""Outlets: a finished run as Markdown, JSON, CSV, a badge, and as GitHub Actions reads it."""
