"""Requests and responses of OpenAI's chat and responses APIs."""
