"""What tool calls did: files, commands, test results, read from the log alone."""
