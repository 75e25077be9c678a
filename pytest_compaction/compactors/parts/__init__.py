"""What strategies are made of: cuts, tails, masks, summaries, bounds. None is a strategy."""
