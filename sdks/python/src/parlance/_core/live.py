"""The plan of a live session: one connection after the other, until the session has ended."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from ssl import SSLContext
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

from ..errors import ApiError, ConnectionError, LiveSessionError, ParlanceError, TimeoutError, UnexpectedResponseError
from ..options import CallOptions
from .effects import Connect, Disconnect, Emit, Failed, Inbox, Incoming, Lost, Plan, Receive, Socket, Transmit
from .retries import pause_before
from .sse import each, follow
from .transport import API, Request, Transport, path
from .unacknowledged_audio import UnacknowledgedAudio

if TYPE_CHECKING:
    from ..live_messages import LiveFinished

PROTOCOL = "parlance.v1"
CONNECT_SECONDS = 15.0
KEEPALIVE_SECONDS = 20.0
#: For the last messages of a connection that takes no more audio.
LAST_WORDS_SECONDS = 5.0
LOST = "The connection of the live session was lost."
#: Attempts to connect again without any success, over half a minute.
DEFAULT_RETRIES = 8

OnReconnect = Callable[[ParlanceError], None]


@dataclass(frozen=True)
class Audio:
    """The next bytes of the session."""

    piece: bytes


@dataclass(frozen=True)
class Command:
    """What else the caller asks of a session."""

    name: Literal["finalize", "finish", "leave"]


class LiveProtocol:
    """A live session that survives lost connections: audio is kept until the server has stored it, and sent again."""

    def __init__(
        self,
        transport: Transport,
        session_id: str,
        token: str,
        inbox: Inbox,
        on_reconnect: OnReconnect | None,
        tls: SSLContext | None,
        options: CallOptions | None,
    ) -> None:
        self.id = session_id
        self.inbox = inbox
        #: Bytes before this one are stored.
        self.acknowledged = 0
        self.finished: LiveFinished | None = None
        self._transport = transport
        self._on_reconnect = on_reconnect
        self._tls = tls
        # The key of the creation is not that of a token.
        self._options = replace(options or CallOptions(), idempotency_key=None)
        retries = self._options.max_retries
        self._max_failures = DEFAULT_RETRIES if retries is None else retries
        self._token: str | None = token
        self._audio = UnacknowledgedAudio()
        self._last_seq = 0
        self._failures = 0
        self._is_finishing = False
        self._has_left = False
        #: The connection on which audio is sent, once the server is ready.
        self._ready: Socket | None = None
        self._silent_since = 0.0
        #: The time until which a connection that is not ready may be silent, and the error of one that is silent for longer.
        self._silent_until = 0.0
        self._silence: ParlanceError = ConnectionError(LOST)

    def run(self) -> Plan[None]:
        """Hands the messages of the server over until the session has ended."""
        while not self.finished and not self._has_left:
            try:
                yield from self._connection()
            except ParlanceError as error:
                if self._has_sent_everything and isinstance(error, ApiError) and error.code == "live_ended":
                    yield from self._rest_or(error)
                    return
                pause = self._pause_after(error)
                if pause is None:
                    self._give_up(error)
                if self._on_reconnect:
                    self._on_reconnect(error)
                yield from self._take_for(pause)

    @property
    def _has_sent_everything(self) -> bool:
        return self._is_finishing and self._audio.is_empty

    def _pause_after(self, error: ParlanceError) -> float | None:
        """Seconds before the next connection, or None where the session cannot be continued."""
        if not error.retryable or self._failures >= self._max_failures:
            return None
        self._failures += 1
        asked = error.retry_after if isinstance(error, LiveSessionError) else None
        return pause_before(self._failures - 1, ConnectionError()) if asked is None else asked

    def _give_up(self, cause: ParlanceError) -> NoReturn:
        """Raises the error of a session that cannot be continued."""
        error = cause
        if isinstance(cause, ApiError) and not isinstance(cause, UnexpectedResponseError):
            error = _of_session(cause)
        elif isinstance(cause, ConnectionError | TimeoutError):
            error = ConnectionError(f"{LOST} It could not be opened again. Check that the server runs. The job {self.id} has everything that was acknowledged.")
        error.job_id = self.id
        raise error from (None if error is cause else cause)

    def _connection(self) -> Plan[None]:
        """Returns when the session has ended or the caller has left. Each other end is an error."""
        token, self._token = self._token or (yield from self._new_token()), None
        self._silent_until, self._silence = time.monotonic() + CONNECT_SECONDS, TimeoutError("connect", CONNECT_SECONDS)
        url = f"{self._transport.base_url.replace('http', 'ws', 1)}{API}{path('live', self.id, 'socket')}?after={self._last_seq}"
        connect = Connect(url, [PROTOCOL, f"token.{token}"], self._transport.default_headers, CONNECT_SECONDS, self._tls, self.inbox)
        try:
            socket: Socket = yield connect
        except Failed as failure:
            raise (self._silence if failure.is_timeout else ConnectionError(LOST)) from failure.__cause__
        try:
            yield from self._exchange(socket)
        finally:
            self._ready = None
            yield Disconnect(socket)

    def _new_token(self) -> Plan[str]:
        answer: Any = yield from self._transport.json(Request("POST", path("live", self.id, "tokens"), json={}), replace(self._options, max_retries=0))
        return cast("str", answer["token"])

    def _exchange(self, socket: Socket) -> Plan[None]:
        problem: Any = None
        while not self.finished and not self._has_left:
            until = self._silent_since + KEEPALIVE_SECONDS if self._ready else self._silent_until
            item = yield Receive(self.inbox, until - time.monotonic())
            if isinstance(item, Incoming) and item.socket is socket:
                message = _parsed(item.text)
                problem = message if message["type"] == "error" else problem
                yield from self._receive(socket, message)
            elif isinstance(item, Lost) and item.socket is socket:
                raise _error_of(problem) if problem else ConnectionError(LOST)
            elif item is None and not self._ready:
                raise self._silence
            elif item is None:
                yield from self._say("keepalive")
            else:
                yield from self._take(item)

    def _take(self, item: Any) -> Plan[None]:
        """Takes what the caller gives, connected or not."""
        match item:
            case Audio(piece=piece):
                self._audio.add(piece)
                yield from self._transmit(piece)
            case Command(name="finalize"):
                yield from self._say("finalize")
            case Command(name="finish"):
                self._is_finishing = True
                yield from self._say("finish")
            case Command(name="leave"):
                self._has_left = True

    def _take_for(self, seconds: float) -> Plan[None]:
        ends_at = time.monotonic() + seconds
        while not self._has_left and (left := ends_at - time.monotonic()) > 0:
            yield from self._take((yield Receive(self.inbox, left)))

    def _receive(self, socket: Socket, message: Any) -> Plan[None]:
        kind = message["type"]
        self._last_seq = max(self._last_seq, message.get("seq", 0))
        if kind == "ready":
            yield from self._resume(socket, message["acknowledged_offset"])
        elif kind == "ack":
            self._acknowledge(message["offset"])
        elif kind == "finished":
            self.finished = message
        yield Emit(message)
        if kind == "go_away":
            raise ConnectionError("The server is about to stop.")

    def _resume(self, socket: Socket, acknowledged: int) -> Plan[None]:
        """Sends what the server does not have, from exactly the byte that it names."""
        self._failures = 0
        self._ready, self._silent_since = socket, time.monotonic()
        self._acknowledge(acknowledged)
        for piece in self._audio.pieces():
            yield from self._transmit(piece)
        if self._is_finishing:
            yield from self._say("finish")

    def _acknowledge(self, offset: int) -> None:
        self.acknowledged = max(self.acknowledged, offset)
        self._audio.acknowledge(offset)

    def _say(self, kind: str) -> Plan[None]:
        yield from self._transmit(json.dumps({"type": kind}))

    def _transmit(self, frame: bytes | str) -> Plan[None]:
        if not self._ready:
            return
        try:
            yield Transmit(self._ready, frame)
            self._silent_since = time.monotonic()
        except Failed:
            # The server may have said why: its messages are read before the connection is given up.
            self._ready = None
            self._silent_until, self._silence = time.monotonic() + LAST_WORDS_SECONDS, ConnectionError(LOST)

    def _rest_or(self, refusal: ApiError) -> Plan[None]:
        """The rest of the messages, up to the end of the session; without it, the refusal is the error."""
        try:
            yield from self._rest()
        except ParlanceError as error:
            self._give_up(error)
        if not self.finished:
            self._give_up(refusal)

    def _rest(self) -> Plan[None]:
        """The messages of a session that ended while the connection was lost."""
        request = Request("GET", path("live", self.id, "events"))
        events = follow(self._transport, request, lambda event: event["event"] == "finished", str(self._last_seq), self._options)
        yield from each(events, self._message_of)

    def _message_of(self, event: Any) -> Any:
        message = {"type": event["event"], **{name: value for name, value in event.items() if name != "event"}}
        if message["type"] == "finished":
            self.finished = cast("LiveFinished", message)
        return message


def _parsed(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConnectionError("The messages are not those of Parlance.") from error


def _error_of(problem: Any) -> LiveSessionError:
    milliseconds = problem.get("retry_after_ms")
    after = None if milliseconds is None else milliseconds / 1000
    # A token that has expired is replaced by the next one.
    retryable = problem["retryable"] or problem["code"] == "live_token_invalid"
    return LiveSessionError(problem["code"], problem["message"], retryable, problem.get("request_id"), after)


def _of_session(error: ApiError) -> LiveSessionError:
    """The refusal of a token as the error of the session."""
    message = str(error.problem["detail"]) if error.problem and "detail" in error.problem else str(error).removeprefix(f"{error.code}: ")
    return LiveSessionError(error.code, message, error.retryable, error.request_id)
