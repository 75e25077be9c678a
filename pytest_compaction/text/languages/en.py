"""English."""

from typing import Final

from pytest_compaction.text.words import STOPWORDS

COMMON: Final = STOPWORDS
