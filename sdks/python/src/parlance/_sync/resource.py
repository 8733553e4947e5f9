"""What all resources of the synchronous client share."""

from __future__ import annotations

from .._core.drivers import SyncDriver
from .._core.transport import Transport


class Resource:
    """A part of the API."""

    def __init__(self, transport: Transport, driver: SyncDriver) -> None:
        self._transport = transport
        self._driver = driver
