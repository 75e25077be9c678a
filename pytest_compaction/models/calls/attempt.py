"""A request that failed: whether it may be charged for, and whether to send it again."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.calls.address import base_url_for, shown_host
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call
from pytest_compaction.models.wire.refusals import Complaint
from pytest_compaction.secrets.keys import scrubbed
from pytest_compaction.text.words import printable

_SAID_CHARACTERS: Final = 200
"""The most characters of an endpoint's reply that a sentence quotes."""
LONGER: Final = "give it longer with --compaction-request-timeout"


class AttemptError(ModelError):
    """One request to the endpoint failed; the text is a sentence for the user, without a key.

    ``charged`` tells that the endpoint may charge for the request although no usable reply
    came. ``passing`` tells that the same request may succeed later, ``wait`` for how many
    seconds the endpoint asks until then. ``complaint`` is what the endpoint said against
    the request, if it replied. ``seconds`` is how long the request took, with all its
    repetitions and the waits between them.
    """

    def __init__(
        self,
        sentence: str,
        advice: str = "",
        *,
        charged: bool = False,
        passing: bool = False,
        wait: float | None = None,
        complaint: Complaint | None = None,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(sentence + advice)
        self._sentence = sentence
        self._advice = advice
        self.charged = charged
        self.passing = passing
        self.wait = wait
        self.complaint = complaint
        self.seconds = seconds

    def repeated(self, attempts: int, seconds: float) -> AttemptError:
        """The failure of the last of ``attempts`` attempts, which took ``seconds`` in all."""
        counted = self.passing and self.complaint is None
        times = f", {attempts} time{'' if attempts == 1 else 's'}" if counted else ""
        return AttemptError(
            self._sentence + times,
            self._advice,
            charged=self.charged,
            complaint=self.complaint,
            seconds=seconds,
        )


def sentence_on(call: Call, said: str) -> str:
    """A sentence on what the model of a call did at the endpoint, without a key in it."""
    model = printable(call.model, 80)
    host = shown_host(base_url_for(call.operation, call.is_ours))
    return scrubbed(f"model {model} at {host} {said}")


def excerpt_of(text: str) -> str:
    """What an endpoint said: keys out first, then shortened, so that none is cut in half."""
    return printable(scrubbed(text), _SAID_CHARACTERS).strip() or "(no reason given)"


def too_slow(call: Call, seconds: float, charged: bool, passing: bool = False) -> AttemptError:
    """The failure of a call, or of one request of it, that has used up its time."""
    return AttemptError(
        sentence_on(call, f"did not finish its reply within {seconds:g} s"),
        f"; try fewer requests at a time (--compaction-concurrency) or a faster model, or {LONGER}",
        charged=charged,
        passing=passing,
    )
