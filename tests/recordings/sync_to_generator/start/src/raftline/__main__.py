"""Runs the command line."""

import sys

from raftline.cli import main

sys.exit(main(sys.argv[1:]))
