"""What the workers of a run share through files: dealt items, slots, and a sign to stop."""
