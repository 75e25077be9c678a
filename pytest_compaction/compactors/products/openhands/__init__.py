"""OpenHands: its summarising condenser."""
