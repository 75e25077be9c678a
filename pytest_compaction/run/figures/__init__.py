"""The figures of views, beside those of the nulls at equal tokens."""
