"""Models: whatever summarises, answers and judges. One seam, three requests."""
