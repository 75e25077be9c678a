"""The wire: what is sent to an endpoint and what comes back, as plain data."""
