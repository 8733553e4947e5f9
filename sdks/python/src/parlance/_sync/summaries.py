"""Summaries, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import plans
from .._core.transport import Request, path
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types


class Summaries(Resource):
    """Summaries of a job."""

    def default(self, job_id: str, *, options: CallOptions | None = None) -> types.Summary:
        """The summary that the job itself has."""
        return self._driver.run(self._transport.json(Request("GET", path("transcriptions", job_id, "summary")), options))

    def create(self, job_id: str, *, options: CallOptions | None = None, **summary: Unpack[types.NewSummary]) -> types.AcceptedSummary:
        """Orders a further summary. Read it with `get` and `wait`."""
        return self._driver.run(self._transport.json(Request("POST", path("transcriptions", job_id, "summaries"), json=summary), options))

    def get(self, job_id: str, summary_id: str, *, wait: int | None = None, options: CallOptions | None = None) -> types.Summary:
        """With `wait`, the server holds its answer for so many seconds until the summary has ended."""
        request = Request("GET", path("transcriptions", job_id, "summaries", summary_id), {"wait": wait}, held=wait or 0)
        return self._driver.run(self._transport.json(request, options))

    def list(self, job_id: str, *, options: CallOptions | None = None) -> Iterator[types.Summary]:
        """The summaries of a job."""
        return self._driver.iterate(plans.pages(self._transport, path("transcriptions", job_id, "summaries"), {}, options))

    def delete(self, job_id: str, summary_id: str, *, options: CallOptions | None = None) -> None:
        """Removes a summary."""
        self._driver.run(self._transport.answer(Request("DELETE", path("transcriptions", job_id, "summaries", summary_id)), options))
