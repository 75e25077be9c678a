"""A process of its own that sends requests to the endpoint while pytest's prepares them."""
