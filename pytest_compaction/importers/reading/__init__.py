"""What the formats share: JSON lines and documents, message contents, and threads of messages."""
