"""The router."""

import pytest

from pontoon.messages import OK, Reply, Request
from pontoon.router import Router, RouteError


def echo(text):
    return lambda request, **values: Reply(request.id, OK, {"from": text, **values})


def ask(router, verb, path):
    return router.dispatch(Request("r-1", verb, path, "kiosk-01"))


@pytest.fixture
def router():
    router = Router()
    router.add("get", "/{name:word}", echo("word"))
    router.add("get", "/{number:int}", echo("int"))
    router.add("get", "/list", echo("list"))
    router.add("put", "/list", echo("put"))
    return router


@pytest.mark.parametrize(
    ("path", "source"), [("/list", "list"), ("/other", "word"), ("/12", "int")]
)
def test_the_most_specific_route_wins(router, path, source):
    assert ask(router, "get", path).body["from"] == source


def test_no_route(router):
    reply = ask(router, "get", "/a/b")
    assert (reply.code, reply.body) == (44, {"error": "no route for get /a/b"})


def test_another_verb(router):
    reply = ask(router, "drop", "/list")
    assert (reply.code, reply.body["error"]) == (45, "/list does not take drop")


def test_a_handler_that_raises(router):
    router.add("get", "/broken/{number:int}", lambda request, number: 1 / 0)
    reply = ask(router, "get", "/broken/7")
    assert (reply.code, reply.body["error"]) == (50, "ZeroDivisionError in /broken/{number:int}")


def test_mount(router):
    outer = Router()
    outer.mount("/inner", router)
    assert ask(outer, "get", "/inner/list").body["from"] == "list"
    assert ask(outer, "get", "/list").code == 44


def test_routes_are_listed_in_the_order_of_trial(router):
    assert router.routes() == [
        "get  /list",
        "put  /list",
        "get  /{number:int}",
        "get  /{name:word}",
    ]


@pytest.mark.parametrize(
    ("verb", "pattern", "problem"),
    [("post", "/x", "unknown verb post"), ("get", "/list", "is there already")],
)
def test_faults(router, verb, pattern, problem):
    with pytest.raises(RouteError, match=problem):
        router.add(verb, pattern, echo("x"))


def test_the_first_middleware_is_the_outermost(router):
    seen = []
    for name in ("first", "second"):

        def middleware(request, proceed, name=name):
            seen.append(name)
            return proceed(request)

        router.use(middleware)
    ask(router, "get", "/list")
    assert seen == ["first", "second"]


def test_resolve(router):
    entry, values = router.resolve("get", "/12")
    assert (entry.pattern.text, values) == ("/{number:int}", {"number": 12})
    assert router.resolve("get", "/a/b") is None
