. ci/lib.sh
# The dashboard lists single tests, so this is verbose.
mapfile -t files < <(python ci/order.py "$CI_SEED" tests)
python -m pytest -v --no-header --tb=short "${files[@]}" || exit "$EXIT_UNIT"
