"""One module for each version. A module that has left the house is never changed."""
