"""A local endpoint for strategies with clients of their own, and whose requests come to it."""
