"""Speakers, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import plans
from .._core.transport import Request, path
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from .. import types


class Speakers(Resource):
    """The speakers of a job."""

    def list(self, job_id: str, *, options: CallOptions | None = None) -> Iterator[types.Speaker]:
        """The speakers of a job."""
        return self._driver.iterate(plans.pages(self._transport, path("transcriptions", job_id, "speakers"), {}, options))

    def rename(self, job_id: str, speaker_id: str, name: str, *, options: CallOptions | None = None) -> types.Speaker:
        """Changes the name in transcript, captions and search."""
        request = Request("PATCH", path("transcriptions", job_id, "speakers", speaker_id), json={"name": name})
        return self._driver.run(self._transport.json(request, options))

    def merge(self, job_id: str, *, from_: str, into: str, options: CallOptions | None = None) -> types.SpeakerPage:
        """Makes one speaker of two: `into` remains, with its name."""
        request = Request("POST", path("transcriptions", job_id, "speakers", "merge"), json={"from": from_, "into": into})
        return self._driver.run(self._transport.json(request, options))
