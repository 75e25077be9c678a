"""Where a passage holds a statement's words and says something else with them."""
