"""``python -m quaylm``."""

import sys

from quaylm.cli import main

sys.exit(main())
