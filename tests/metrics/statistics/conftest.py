"""Properties of statistics are checked with the settings that all tests share."""

import support.builders  # noqa: F401  (loads them)
