"""A local endpoint that counts requests, holds replies back, and says what flies.

Replies depend on the request alone (see stub_endpoint). ``hold`` is asked of each request
whether its reply is to wait for :meth:`CountingEndpoint.release`.
"""

import contextlib
import json
import re
import threading
from collections import Counter

from support.endpoint_replies import Answer, checked, is_check
from support.endpoint_server import EndpointServer
from support.stub_endpoint import reply_to, role_of

WAIT_S = 120
"""A bound for what never takes that long, so that a broken run cannot hang its test."""
_ASIDE = re.compile(r"\b(c\d\d)\dx\d")


class CountingEndpoint:
    """What the server saw: ``begun`` and ``answered`` hold a key for each call, in order."""

    def __init__(self, hold):
        self._hold = hold
        self._changed = threading.Condition()
        self._released = False
        self.begun = []
        self.answered = []
        self.held = []
        self.roles = Counter()
        self.checks = []
        self.flying = self.most = 0

    def decide(self, asked):
        if is_check(asked.body):
            self.checks.append(asked.body)
            return Answer(checked())
        key = json.dumps(asked.body, sort_keys=True)
        with self._changed:
            self.begun.append(key)
            self.roles[role_of(asked.body)] += 1
            self.flying += 1
            self.most = max(self.most, self.flying)
            self._changed.notify_all()
        try:
            if self._hold(asked.body):
                with self._changed:
                    self.held.append(key)
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: self._released, WAIT_S)
        finally:
            with self._changed:
                # Those that were held are let go after their run: nobody takes their replies.
                if key not in self.held:
                    self.answered.append(key)
                self.flying -= 1
                self._changed.notify_all()
        return Answer(reply_to(asked.body))

    def release(self):
        """Let all replies go, and hold no more of them."""
        with self._changed:
            self._released = True
            self._changed.notify_all()

    def until(self, condition):
        """Wait until a condition holds, which is looked at with every request and reply."""
        with self._changed:
            assert self._changed.wait_for(condition, WAIT_S), "the requests never came"


@contextlib.contextmanager
def counting(hold=lambda body: False):
    """A counting endpoint that runs; its ``url`` is the value for OPENAI_BASE_URL."""
    endpoint = CountingEndpoint(hold)
    with EndpointServer(endpoint.decide) as server:
        endpoint.server, endpoint.url = server, server.url
        try:
            yield endpoint
        finally:
            endpoint.release()


def case_of(body):
    """The id of the long case (see stub_endpoint) that a request is about: ``c`` and two digits."""
    return _ASIDE.search(json.dumps(body))[1]
