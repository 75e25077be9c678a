"""``python -m tinshelf``."""

import sys

from tinshelf.cli import main

sys.exit(main())
