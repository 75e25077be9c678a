"""A model that answers as a test decides."""

from pytest_compaction.models import AnswerReply, OfflineModel, Usage


class Answers(OfflineModel):
    """Answers what ``decide`` says to a request, or raises it; notes all requests."""

    name = "answers"

    def __init__(self, decide):
        super().__init__()
        self._decide = decide
        self.requests = []

    async def answer(self, request):
        self.requests.append(request)
        said = self._decide(request)
        if isinstance(said, Exception):
            raise said
        return AnswerReply(said, Usage(1, 100, 0, 1))
