"""What is said of a run before its first item."""
