"""The parts of strategies: history, cuts, tails, windows, masks, summaries, outcomes."""
