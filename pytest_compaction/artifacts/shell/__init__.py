"""Shell commands: how a line is read, and what the programs in it do to files."""
