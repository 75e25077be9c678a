#!/usr/bin/env bash
# Runs the stages of ci/stages in order and stops at the first that fails.
#   --keep-going   run the other stages as well; the exit code is that of the first failure
#   --only NAME    run this stage alone
#   --purge        remove the cache before anything else
set -u
cd "$(dirname "$0")/.." || exit 64
. ci/lib.sh

keep_going=no
only=
while [ $# -gt 0 ]; do
    case "$1" in
        --keep-going) keep_going=yes ;;
        --only) only="${2:?}"; shift ;;
        --purge) rm -rf "$(config cache directory)" ;;
        *) echo "ci: unknown option $1" >&2; exit "$EXIT_USAGE" ;;
    esac
    shift
done

export CI_SEED="${CI_SEED:-0}"
export PYTHONPATH="src:."
rm -rf .ci-logs
mkdir -p .ci-logs

first=0
for script in ci/stages/*.sh; do
    [ -n "$only" ] && [ "$(stage_name "$script")" != "$only" ] && continue
    run_stage "$script"
    code=$?
    if [ "$code" -ne 0 ]; then
        [ "$first" -eq 0 ] && first="$code"
        [ "$keep_going" = no ] && break
    fi
done
report pipeline "$([ "$first" -eq 0 ] && echo ok || echo failed)" "$first"
exit "$first"
