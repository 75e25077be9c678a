"""Models: whatever summarises, answers and judges, behind one protocol."""
