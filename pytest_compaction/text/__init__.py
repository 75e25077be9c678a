"""Text: words, claims and matching, with no knowledge of cases or models."""
