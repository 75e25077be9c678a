"""What is measured of dialogues in two arms, one with summaries and one with full history."""
