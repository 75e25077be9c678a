. ci/lib.sh
python -m wright verify --root . dist/fieldrules.zip || exit "$EXIT_VERIFY"
