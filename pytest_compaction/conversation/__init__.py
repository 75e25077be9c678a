"""Conversations: messages and their parts, the chat format on disk, and token counts."""
