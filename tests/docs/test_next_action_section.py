"""The command of docs/losses.md that asks a model for the next action."""

import re

from support.next_calls import NextEndpoint, next_data
from support.pages import DOCS, arguments, code
from support.scenarios import flat, lean, records, write_cases
from support.stub_endpoint import PRICED

PAGE = DOCS / "losses.md"


def test_the_next_action_is_asked_for_and_shown_in_the_form_of_the_page(pytester, monkeypatch):
    command = code(PAGE, "console", "--compaction-next-actions").strip()
    shown = code(PAGE, "text", "next choice:").strip()
    form = re.escape(shown).replace("SHARE", r"\d+%").replace("LOW", r"-?\d+%")
    form = form.replace("KEPT", r"-?\d+%").replace("HIGH", r"-?\d+%").replace("of\\ N", r"of\ 6")
    write_cases(pytester, *(next_data(f"c{number}", budget=250) for number in range(6)))
    pytester.makeconftest(PRICED)
    with NextEndpoint() as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
        result = pytester.runpytest_inprocess(*lean(), *arguments(command), "-q", "--tb=no")
    assert endpoint.asked_next
    asked = [record for record in records(pytester).records if "next_action" in record]
    assert {record["compactor"] for record in asked} == {"anchored", "truncate"}
    assert re.search(form, flat(result.outlines)), flat(result.outlines)
