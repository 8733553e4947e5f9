"""Jobs, synchronously."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, overload

from .._core import plans
from .._core.transport import Request, path
from .._core.uploads import Progress
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types
    from ..parameters import BinaryFormat, NewJob, TextFormat


class Transcriptions(Resource):
    """Jobs and their transcripts."""

    def create(
        self, *, size: int | None = None, on_upload_progress: Progress | None = None, options: CallOptions | None = None, **job: Unpack[NewJob]
    ) -> types.AcceptedTranscription:
        """Creates a job of a `file` (with `file_name`), an `upload_id`, `files` or an `audio_url`, with the options of the API."""
        return self._driver.run(plans.create(self._transport, job, size, on_upload_progress, options))

    def wait(
        self,
        job_id: str,
        *,
        timeout: float | None = None,
        until: plans.Until = "terminal",
        on_progress: Callable[[types.Transcription], None] | None = None,
        options: CallOptions | None = None,
    ) -> types.Transcription:
        """Waits until the job has ended, at most so many seconds, by default six hours. Raises JobFailedError and TimeoutError."""
        return self._driver.run(plans.wait(self._transport, job_id, timeout, until, on_progress, options))

    def transcribe(
        self,
        *,
        size: int | None = None,
        wait_timeout: float | None = None,
        until: plans.Until = "terminal",
        on_progress: Callable[[types.Transcription], None] | None = None,
        on_upload_progress: Progress | None = None,
        options: CallOptions | None = None,
        **job: Unpack[NewJob],
    ) -> types.Transcription:
        """Creates a job, waits for its end, and returns it with its transcript."""
        return self._driver.run(plans.transcribe(self._transport, job, size, on_upload_progress, options, wait_timeout, until, on_progress))

    def get(self, job_id: str, *, options: CallOptions | None = None, **query: Unpack[types.GetTranscriptionParametersQuery]) -> types.Transcription:
        """The job, with its transcript once there is one."""
        return self._driver.run(self._transport.json(Request("GET", path("transcriptions", job_id), query, held=query.get("wait", 0)), options))

    def list(self, *, options: CallOptions | None = None, **query: Unpack[types.ListTranscriptionsParametersQuery]) -> Iterator[types.TranscriptionSummary]:
        """The jobs, page after page."""
        # The API has them in one parameter.
        asked = {**query, "statuses": ",".join(query.get("statuses", [])) or None}
        return self._driver.iterate(plans.pages(self._transport, "/transcriptions", asked, options))

    def update(self, job_id: str, *, options: CallOptions | None = None, **changes: Unpack[types.TranscriptionChanges]) -> types.Transcription:
        """Changes the title, the metadata or the retention of a job."""
        return self._driver.run(self._transport.json(Request("PATCH", path("transcriptions", job_id), json=changes), options))

    def delete(self, job_id: str, *, options: CallOptions | None = None) -> types.AcceptedErasure:
        """Removes the job and everything that was made of it."""
        return self._driver.run(self._transport.json(Request("DELETE", path("transcriptions", job_id)), options))

    def cancel(self, job_id: str, *, options: CallOptions | None = None) -> types.TranscriptionSummary:
        """Ends a job that has not ended."""
        return self._driver.run(self._transport.json(Request("POST", path("transcriptions", job_id, "cancel")), options))

    def retry(self, job_id: str, *, options: CallOptions | None = None, **query: Unpack[types.RetryTranscriptionParametersQuery]) -> types.TranscriptionSummary:
        """Begins a failed or canceled job again, where it ended."""
        return self._driver.run(self._transport.json(Request("POST", path("transcriptions", job_id, "retry"), query), options))

    @overload
    def export(
        self, job_id: str, format: TextFormat, *, options: CallOptions | None = None, **query: Unpack[types.ExportTranscriptParametersQuery]
    ) -> str: ...
    @overload
    def export(
        self, job_id: str, format: BinaryFormat, *, options: CallOptions | None = None, **query: Unpack[types.ExportTranscriptParametersQuery]
    ) -> bytes: ...
    @overload
    def export(self, job_id: str, format: str, *, options: CallOptions | None = None, **query: Unpack[types.ExportTranscriptParametersQuery]) -> str | bytes: ...
    def export(self, job_id: str, format: str, *, options: CallOptions | None = None, **query: Unpack[types.ExportTranscriptParametersQuery]) -> str | bytes:
        """The transcript as text, captions or a document: bytes where the format is binary."""
        return self._driver.run(plans.export(self._transport, job_id, format, query, options))

    def sealed(self, job_id: str, *, options: CallOptions | None = None) -> str:
        """The results of a completed job with a `result_key`, as a JWE: `parlance.sealed.open_sealed` opens it."""
        return self._driver.run(plans.sealed(self._transport, job_id, options))

    def media(self, job_id: str, *, options: CallOptions | None = None) -> Iterator[bytes]:
        """The recording, piece by piece as it comes."""
        return self._driver.iterate(plans.download(self._transport, Request("GET", path("transcriptions", job_id, "media"), headers={"accept": "*/*"}), options))

    def events(self, job_id: str, *, last_event_id: str | None = None, options: CallOptions | None = None) -> Iterator[types.JobStreamEvent]:
        """Status, progress and segments of the job until it has ended. A broken connection is resumed after the last event."""
        return self._driver.iterate(plans.job_events(self._transport, job_id, last_event_id, options))
