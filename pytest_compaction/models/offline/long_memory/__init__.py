"""Answers to questions about a long conversation, by what a reader of the view would do."""
