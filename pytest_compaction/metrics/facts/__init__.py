"""What becomes of the facts of a probe: stated, absent, or to be read again."""
