"""How far raters agree, and how far runs do."""
