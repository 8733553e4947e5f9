"""The chat, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import plans
from .._core.transport import Request
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types
    from ..parameters import QuestionOptions


class Chat(Resource):
    """Questions about transcripts."""

    def ask(self, message: str, *, options: CallOptions | None = None, **question: Unpack[QuestionOptions]) -> types.ChatAnswer:
        """Asks about all transcripts, or about that of `job_id`."""
        return self._driver.run(self._transport.json(Request("POST", "/chat", json={"message": message, **question}), options))

    def stream(self, message: str, *, options: CallOptions | None = None, **question: Unpack[QuestionOptions]) -> Iterator[types.ChatStreamEvent]:
        """The same while the answer is written: `delta`, `citations`, then `done` with the whole answer."""
        return self._driver.iterate(plans.stream_answer(self._transport, {"message": message, **question}, options))
