"""``STRATEGY+archive:query=model`` in whole runs at an endpoint: queries, bills and a replay."""

from support.endpoint_project import billed
from support.endpoint_replies import Answer, completion, is_check, sensible
from support.endpoint_server import serving
from support.scenarios import lean, records, write_cases
from support.stub_endpoint import long_case

from pytest_compaction.compactors.archive import PREAMBLE

ASKED = "an archive that can be searched by words"


def searching(asked):
    if ASKED in asked.body["messages"][-1]["content"]:
        return Answer(completion("small1x3"))
    return sensible(asked)


def test_the_queries_of_a_model_are_searched_for_charged_and_replayed(pytester, monkeypatch):
    write_cases(pytester, long_case("small"))
    strategy = "--compactor=truncate+archive:k=1:query=model"
    given = (*lean(), strategy, "--compaction-model=gpt-4o-mini", "--compaction-judge=offline")
    with serving(searching) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        first = pytester.runpytest_inprocess(*given, "-n0").stdout.str()
        bodies = [body for body in endpoint.bodies if not is_check(body)]
        assert billed(first) == len(bodies)
        pytester.runpytest_inprocess(*given, "-n0", "--compaction-replay")
        assert [body for body in endpoint.bodies if not is_check(body)] == bodies
    read = [str(body["messages"]) for body in bodies if ASKED not in str(body["messages"][-1])]
    searched = [text for text in read if PREAMBLE in text]
    found = records(pytester).records
    assert 0 < len(searched) <= len(read) == len(found)
    assert all("small1x3" in text for text in searched)
    assert sum(record["search"]["tokens"] > 0 for record in found) == len(searched)
    asked = [record for record in found if record["usage"].get("view")]
    assert len(asked) == len(searched) == len(bodies) - len(read)
