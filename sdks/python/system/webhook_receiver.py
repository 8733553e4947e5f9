"""Receives webhooks."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Delivery:
    """One webhook as it arrived."""

    body: bytes
    headers: Mapping[str, str]


class WebhookReceiver:
    """What came so far."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._deliveries: list[Delivery] = []
        self._changed = threading.Condition()

    def add(self, delivery: Delivery) -> None:
        """Keeps a webhook."""
        with self._changed:
            self._deliveries.append(delivery)
            self._changed.notify_all()

    def first(self, kind: str, seconds: float = 60) -> Delivery:
        """Waits for the first webhook of a type."""

        def found() -> Delivery | None:
            return next((each for each in self._deliveries if json.loads(each.body)["type"] == kind), None)

        with self._changed:
            delivery = self._changed.wait_for(found, seconds)
        assert delivery, f"no {kind} came"
        return delivery


@contextmanager
def webhook_receiver() -> Iterator[WebhookReceiver]:
    """A server at an address of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.add(Delivery(body, dict(self.headers.items())))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = WebhookReceiver(f"http://127.0.0.1:{server.server_port}/hook")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield receiver
        finally:
            server.shutdown()
