"""What words and set expressions stand for one another, and which are opposites."""
