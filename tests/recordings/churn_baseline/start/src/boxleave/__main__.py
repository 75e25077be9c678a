"""``python -m boxleave``."""

import sys

from boxleave.cli import main

sys.exit(main())
