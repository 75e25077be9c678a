"""The session and the items that check invariants of strategies."""
