"""Requests of clients that are not the plugin's own: made into calls, carried and answered."""
