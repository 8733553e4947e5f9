"""The synchronous client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import httpx

from .._core import plans
from .._core.drivers import SyncDriver
from .._core.transport import DEFAULT_RETRIES, Request, Transport
from ..options import CallOptions, Timeout
from .chat import Chat
from .live import Live
from .speakers import Speakers
from .summaries import Summaries
from .transcriptions import Transcriptions
from .uploads import Uploads
from .webhooks import Webhooks

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types
    from ..parameters import SearchOptions


class Parlance:
    """A client of one server and one key: `PARLANCE_BASE_URL` and `PARLANCE_API_KEY` where they are not given."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout: Timeout | float | None = None,
        max_retries: int = DEFAULT_RETRIES,
        default_headers: Mapping[str, str] | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(base_url, api_key, timeout, max_retries, default_headers)
        self._http = http_client or httpx.Client()
        self._driver = SyncDriver(self._http)
        self.transcriptions = Transcriptions(self._transport, self._driver)
        self.uploads = Uploads(self._transport, self._driver)
        self.speakers = Speakers(self._transport, self._driver)
        self.summaries = Summaries(self._transport, self._driver)
        self.chat = Chat(self._transport, self._driver)
        self.webhooks = Webhooks(self._transport, self._driver)
        self.live = Live(self._transport, self._driver)

    def search(self, q: str, *, options: CallOptions | None = None, **query: Unpack[SearchOptions]) -> Iterator[types.SearchHit]:
        """Finds passages by words and by meaning."""
        return self._driver.iterate(plans.pages(self._transport, "/search", {"q": q, **query}, options))

    def events(self, *, options: CallOptions | None = None, **query: Unpack[types.ListEventsParametersQuery]) -> Iterator[types.WebhookEvent]:
        """What happened to the jobs of the account in the last 30 days, as webhooks say it."""
        return self._driver.iterate(plans.pages(self._transport, "/events", query, options, "after"))

    def usage(
        self, *, from_: str | None = None, to: str | None = None, group_by: types.UsageGrouping | None = None, options: CallOptions | None = None
    ) -> types.Usage:
        """What the account has used, by default this month."""
        query = {"from": from_, "to": to, "group_by": group_by}
        return self._driver.run(self._transport.json(Request("GET", "/usage", query), options))

    def request(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, json: Any = None, options: CallOptions | None = None) -> Any:
        """Any other operation, such as `request("GET", "/languages")`, with the same credentials, retries and errors."""
        return self._driver.run(self._transport.json(Request(method, path, query or {}, json), options))

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Parlance:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self._transport.base_url!r})"
