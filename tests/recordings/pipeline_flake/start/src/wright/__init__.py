"""Packs rule files into versioned bundles."""
