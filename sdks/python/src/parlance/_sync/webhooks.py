"""Webhooks, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._core import plans
from .._core.drivers import SyncDriver
from .._core.transport import Request, Transport, path
from ..options import CallOptions
from ..webhooks import verify_webhook
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types


class WebhookEndpoints(Resource):
    """Addresses that receive the events of all jobs."""

    def create(self, *, options: CallOptions | None = None, **endpoint: Unpack[types.NewWebhookEndpoint]) -> types.CreatedWebhookEndpoint:
        """Creates an endpoint; the answer has its `secret`."""
        return self._driver.run(self._transport.json(Request("POST", "/webhook-endpoints", json=endpoint), options))

    def list(self, *, options: CallOptions | None = None) -> Iterator[types.WebhookEndpoint]:
        """The endpoints of the account."""
        return self._driver.iterate(plans.pages(self._transport, "/webhook-endpoints", {}, options))

    def delete(self, endpoint_id: str, *, options: CallOptions | None = None) -> None:
        """Removes an endpoint."""
        self._driver.run(self._transport.answer(Request("DELETE", path("webhook-endpoints", endpoint_id)), options))


class Webhooks(Resource):
    """Webhooks and their secret."""

    verify = staticmethod(verify_webhook)

    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        super().__init__(transport, driver)
        self.endpoints = WebhookEndpoints(transport, driver)

    def secret(self, url: str | None = None, *, options: CallOptions | None = None) -> types.WebhookSecret:
        """The secret of webhooks to a `callback_url`, in `secret`. `verify` takes the answer as it is."""
        return self._driver.run(self._transport.json(Request("GET", "/webhook-secret", {"url": url}), options))
