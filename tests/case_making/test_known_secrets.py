"""All secrets of a file are found in one pass, as if each were looked for alone."""

import random
import re
import string

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.case_making.redaction import KnownSecrets, replaced

SIGNS = string.ascii_letters + string.digits


def keys(number, seed=0, heads=("sk-ant-api03-", "ghp_", "github_pat_", "")):
    """So many different keys, many with the same beginning, each with a stand-in."""
    drawn = random.Random(seed)
    return {
        heads[one % len(heads)] + "".join(drawn.choices(SIGNS, k=24)) + "7": f"<{one}>"
        for one in range(number)
    }


def text_of(secrets, seed=0):
    """Lines of prose with each secret in one of them."""
    drawn = random.Random(seed)
    words = ["token", "ghp_", "is", "sk-ant-api03-", "used", "here=", '"', "'"]
    lines = [f"{' '.join(drawn.choices(words, k=6))} {one} in use" for one in secrets]
    return "\n".join(lines)


def without(secrets, text):
    return replaced(text, KnownSecrets(secrets).places(text))


def test_each_of_many_secrets_with_one_beginning_gets_its_own_stand_in():
    secrets = keys(400)
    text = text_of(secrets)
    expected = text
    for secret, stand_in in secrets.items():
        expected = expected.replace(secret, stand_in)
    assert without(secrets, text) == expected
    assert len(re.findall(r"<\d+>", expected)) == 400


@given(st.integers(1, 36), st.sampled_from(["\n", "\r\n    ", "  \\\n  ", "\\n", "\n\t"]))
def test_a_secret_is_found_wherever_its_line_was_broken(at, broken):
    secret, *others = keys(60, heads=("sk-ant-api03-",))
    text = f"export KEY={secret[:at]}{broken}{secret[at:]} # end"
    assert without({secret: "<x>"}, text) == "export KEY=<x> # end"
    known = dict.fromkeys(others, "<y>") | {secret: "<x>"}
    assert without(known, text) == "export KEY=<x> # end"


def test_of_two_that_overlap_the_longer_one_counts():
    known = {"correct7horse": "<1>", "horse7battery7staple": "<2>"}
    assert without(known, "a correct7horse7battery7staple b") == "a correct7<2> b"


def test_a_short_secret_or_a_word_is_replaced_as_a_whole_word_only():
    known = {"hunter22": "<1>", "correcthorsebatterystaple": "<2>"}
    text = "hunter22 hunter221 xhunter22 correcthorsebatterystaples correcthorsebatterystaple."
    assert without(known, text) == "<1> hunter221 xhunter22 correcthorsebatterystaples <2>."


def test_the_form_that_json_escapes_is_found_too():
    assert without({'pa"ss\\word7-long-one': "<1>"}, r'{"x": "pa\"ss\\word7-long-one"') == (
        '{"x": "<1>"'
    )
