"""Server-Sent Events (WHATWG HTML, 9.2)."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from ..errors import ConnectionError, ParlanceError
from ..options import CallOptions
from .effects import Close, Emit, Plan, Sleep
from .retries import pause_before
from .transport import OpenResponse, Request, Transport, read_piece


class EventParser:
    """Makes events of the pieces of a stream. Comments, such as heartbeats, are left out."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[dict[str, Any]]:
        """The events that are complete; the id of the protocol is their `id`."""
        # A CR at the end may be half of a CRLF.
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decoder.decode(piece))
        for line in lines:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._data.append(value)
            elif name == "id":
                self._id = value
            elif line == "":
                yield from self._event()

    def _event(self) -> Iterator[dict[str, Any]]:
        if self._data:
            try:
                event: dict[str, Any] = json.loads("\n".join(self._data))
            except ValueError as error:
                raise ConnectionError("The stream has an event that is not JSON.") from error
            yield event if self._id is None else {**event, "id": self._id}
        self._data, self._id = [], None


def events_of(response: OpenResponse, is_last: Callable[[Any], bool]) -> Plan[None]:
    """Hands the events of an answer over, until the last one."""
    parser = EventParser()
    try:
        while (piece := (yield from read_piece(response))) is not None:
            for event in parser.feed(piece):
                ended = is_last(event)
                yield Emit(event)
                if ended:
                    return
        raise ConnectionError("The stream ended before its last event.")
    finally:
        yield Close(response.head)


def each(plan: Plan[None], change: Callable[[Any], Any]) -> Plan[None]:
    """The same plan with changed items. What `change` raises ends it."""
    result: Any = None
    failure: BaseException | None = None
    while True:
        try:
            effect = plan.throw(failure) if failure else plan.send(result)
        except StopIteration:
            return
        result = failure = None
        try:
            result = yield Emit(change(effect.value)) if isinstance(effect, Emit) else effect
        except BaseException as error:
            failure = error


def follow(transport: Transport, request: Request, is_last: Callable[[Any], bool], last_event_id: str | None, options: CallOptions | None) -> Plan[None]:
    """Hands events over, and opens the stream again after the last one when its connection breaks."""
    given = options or CallOptions()
    # The retries are counted here, over all connections without an event.
    once = replace(given, max_retries=0)
    failures = 0

    def noted(event: Any) -> bool:
        nonlocal failures, last_event_id
        failures, last_event_id = 0, event.get("id", last_event_id)
        return is_last(event)

    while True:
        try:
            headers = {"accept": "text/event-stream", "last-event-id": last_event_id}
            response = yield from transport.stream(Request(request.method, request.path, request.query, headers=headers), once)
            # The server has nothing after the last event.
            if response.head.status == 204:
                yield Close(response.head)
                return
            yield from events_of(response, noted)
            return
        except ParlanceError as error:
            error.attempts = failures + 1
            pause = pause_before(failures, error) if failures < transport.max_retries_of(given) else None
            if pause is None:
                raise
        failures += 1
        yield Sleep(pause)
