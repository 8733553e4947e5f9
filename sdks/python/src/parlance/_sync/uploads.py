"""Uploads, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import plans
from .._core.files import FileInput
from .._core.transport import Request, path
from .._core.uploads import Progress, upload
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types


class Uploads(Resource):
    """Files that jobs are made of."""

    def create(
        self, file: FileInput, *, file_name: str | None = None, size: int | None = None, on_progress: Progress | None = None, options: CallOptions | None = None
    ) -> types.Upload:
        """Uploads a path, bytes, a file object or an iterator. `on_progress` receives the bytes that were sent, and all."""
        return self._driver.run(upload(self._transport, file, file_name, size, on_progress, options))

    def get(self, upload_id: str, *, options: CallOptions | None = None) -> types.Upload:
        """The state of an upload."""
        return self._driver.run(self._transport.json(Request("GET", path("uploads", upload_id)), options))

    def list(self, *, options: CallOptions | None = None, **query: Unpack[types.ListUploadsParametersQuery]) -> Iterator[types.Upload]:
        """The uploads, page after page."""
        return self._driver.iterate(plans.pages(self._transport, "/uploads", query, options))

    def delete(self, upload_id: str, *, options: CallOptions | None = None) -> None:
        """Removes an upload."""
        self._driver.run(self._transport.answer(Request("DELETE", path("uploads", upload_id)), options))
