"""Building, reading and verifying bundles."""

import zipfile

import pytest

from wright.bundle import build_bundle, read_manifest, read_payload, verify_bundle
from wright.errors import ContentMismatchError, NotABundleError, VersionMismatchError
from wright.settings import Settings
from wright.version import Version

SETTINGS = Settings(name="demo", ignore=("*.tmp",))
VERSION = Version(1, 0, 0)


@pytest.fixture
def tree(tmp_path):
    folder = tmp_path / "payload"
    (folder / "rules").mkdir(parents=True)
    (folder / "rules" / "frost.rule").write_bytes(b"rule frost\n")
    (folder / "limits.csv").write_bytes(b"group,low\n")
    (folder / "scratch.tmp").write_bytes(b"junk")
    return tmp_path


@pytest.fixture
def bundle(tree):
    target = tree / "dist" / "demo.zip"
    build_bundle(tree, target, SETTINGS, VERSION)
    return target


def test_names(bundle):
    with zipfile.ZipFile(bundle) as archive:
        names = archive.namelist()
    assert names == ["payload/limits.csv", "payload/rules/frost.rule", "MANIFEST.json"]


def test_payload_is_stored_as_it_is(bundle):
    with zipfile.ZipFile(bundle) as archive:
        stored = archive.read("payload/rules/frost.rule")
    assert stored == b"rule frost\n"


def test_same_tree_same_bytes(tree, bundle):
    second = tree / "dist" / "second.zip"
    build_bundle(tree, second, SETTINGS, VERSION)
    assert second.read_bytes() == bundle.read_bytes()


def test_manifest(bundle):
    manifest = read_manifest(bundle)
    assert (manifest.name, manifest.version, manifest.codec) == ("demo", VERSION, "plain")


def test_payload_comes_back(bundle):
    assert read_payload(bundle) == {
        "limits.csv": b"group,low\n",
        "rules/frost.rule": b"rule frost\n",
    }


def test_verify(tree, bundle):
    assert verify_bundle(bundle, tree, SETTINGS, VERSION).version == VERSION


def test_verify_sees_another_version(tree, bundle):
    with pytest.raises(VersionMismatchError, match="bundle says 1.0.0, tree says 1.0.1"):
        verify_bundle(bundle, tree, SETTINGS, Version(1, 0, 1))


def test_verify_sees_a_changed_file(tree, bundle):
    (tree / "payload" / "limits.csv").write_bytes(b"group,high\n")
    with pytest.raises(ContentMismatchError, match="1 files differ, the first is limits.csv"):
        verify_bundle(bundle, tree, SETTINGS, VERSION)


def test_a_bundle_that_is_cut_short(bundle):
    bundle.write_bytes(bundle.read_bytes()[:100])
    with pytest.raises(NotABundleError, match="E409 demo.zip is not a bundle or is cut short"):
        read_manifest(bundle)
