#!/usr/bin/env bash
# What the build box starts every night: ci/nightly.sh RUN_NUMBER
# The run number is the seed of the test order, so that a failure can be repeated.
set -u
export CI_SEED="${1:?run number}"
exec bash "$(dirname "$0")/run.sh" --keep-going
