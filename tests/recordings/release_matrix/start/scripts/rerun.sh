#!/usr/bin/env bash
# Runs the matrix again until it is green, at most five times. For impatient evenings.
set -u
for round in 1 2 3 4 5; do
    python scripts/nightly.py && exit 0
    echo "round $round was red"
done
exit 1
