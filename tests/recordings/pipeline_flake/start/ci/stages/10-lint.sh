. ci/lib.sh
python ci/lint.py src tests ci || exit "$EXIT_LINT"
