"""tallybook: double-entry bookkeeping in one journal file."""

__version__ = "1.6.2"
