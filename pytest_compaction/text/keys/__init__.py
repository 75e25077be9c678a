"""What the alternatives of a key group ask for, and which other wordings are taken for them."""
