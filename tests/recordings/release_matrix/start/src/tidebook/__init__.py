"""Tide tables for harbour offices."""
