"""What runs of dialogues show: tables, breakdowns, a summary and a page."""
