"""Sessions of the pi agent."""
