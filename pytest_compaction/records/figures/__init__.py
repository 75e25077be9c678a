"""The figures of a whole run as plain JSON: strategies, losses, costs."""
