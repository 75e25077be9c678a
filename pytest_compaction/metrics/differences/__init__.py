"""The same items on two sides: pairs, differences, and what changed between them."""
