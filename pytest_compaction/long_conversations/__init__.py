"""Long conversations of our own, with questions whose truth is known by construction."""
