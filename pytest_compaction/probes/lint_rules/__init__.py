"""The checks of ``lint``, by what they look at: questions, key groups, the log, the answer."""
