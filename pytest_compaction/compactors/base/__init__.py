"""What strategies are made of: history, cuts, tails, masks, summaries and bounds."""
