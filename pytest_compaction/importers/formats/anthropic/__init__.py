"""Requests and responses of Anthropic's Messages API."""
