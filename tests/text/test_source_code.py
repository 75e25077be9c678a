"""Lines of source code that define something, in many languages."""

import pytest

from pytest_compaction.text import is_definition


@pytest.mark.parametrize(
    "line",
    [
        "def load(path):",
        "class Store:",
        "export default async function main() {",
        "public static abstract class Shape {",
        "fn parse(text: &str) -> Value {",
        "pub fn parse() {}",
        "interface Reader {",
        "type Name = string",
    ],
)
def test_a_definition_is_known(line):
    assert is_definition(line)


@pytest.mark.parametrize(
    "line", ["", "  def indented():", "definition = 1", "return class_of(x)", "# def gone():"]
)
def test_any_other_line_is_no_definition(line):
    assert not is_definition(line)
