#!/usr/bin/env bash
# Prints the cache key of the bundle.
set -eu
. ci/lib.sh
printf 'k1-%s\n' "$(git ls-files -s src payload VERSION wright.ini | sha256sum | cut -c1-16)"
