. ci/lib.sh
cache="$(config cache directory)"
key="$(bash ci/key.sh)" || exit "$EXIT_PACKAGE"
mkdir -p dist "$cache/$key"
if [ -f "$cache/$key/fieldrules.zip" ]; then
    echo "package: restored $key"
    cp "$cache/$key/fieldrules.zip" dist/fieldrules.zip
    touch "$cache/$key"
    exit 0
fi
python -m wright build --root . --out dist/fieldrules.zip || exit "$EXIT_PACKAGE"
cp dist/fieldrules.zip "$cache/$key/fieldrules.zip"
echo "package: stored $key"
# The oldest entries go.
ls -t "$cache" | tail -n "+$(($(config cache keep) + 1))" | while read -r old; do
    rm -rf "${cache:?}/$old"
done
