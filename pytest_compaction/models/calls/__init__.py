"""Calls to an endpoint: made, repeated, stored, and accounted for."""
