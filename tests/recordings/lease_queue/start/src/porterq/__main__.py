"""``python -m porterq``."""

import sys

from porterq.cli import main

sys.exit(main())
