"""Effects of tool calls: files, commands, test results, read from the log alone."""
