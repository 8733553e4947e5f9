"""Live sessions, synchronously."""

from __future__ import annotations

from collections.abc import Iterator
from ssl import SSLContext
from typing import TYPE_CHECKING

from .._core import plans
from .._core.background import SyncBackground
from .._core.drivers import SyncDriver
from .._core.files import FileInput, as_it_comes
from .._core.live import Audio, Command, LiveProtocol, OnReconnect
from .._core.sockets import require_websockets
from .._core.sse import follow
from .._core.transport import Request, path
from ..errors import LiveSessionError
from ..options import CallOptions
from .resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .. import types
    from ..live_messages import LiveFinished, LiveMessage

FRAME_BYTES = 64 * 1024
#: Audio that is not acknowledged above which `send` waits: about four minutes of 16 kHz samples.
MAX_KEPT_BYTES = 8 * 1024 * 1024


class LiveSession:
    """A live session that survives lost connections. Iterate it for its messages; one caller may send while another one iterates."""

    def __init__(self, driver: SyncDriver, protocol: LiveProtocol) -> None:
        self.id = protocol.id
        self._driver = driver
        self._protocol = protocol
        self._given = 0
        self._background = SyncBackground(driver, protocol.run())

    def send(self, audio: bytes | bytearray | memoryview) -> None:
        """The next bytes of the audio. Waits while the connection is slower than the audio. Raises LiveSessionError when the session cannot be continued."""
        view = memoryview(audio).cast("B")
        for at in range(0, len(view), FRAME_BYTES):
            # A copy, since the caller may use its buffer again.
            piece = bytes(view[at : at + FRAME_BYTES])
            self._background.raise_if_ended()
            self._given += len(piece)
            self._protocol.inbox.put_nowait(Audio(piece))
            self._background.wait(self._has_room)

    def finalize(self) -> None:
        """Ends the utterance that is being said."""
        self._protocol.inbox.put_nowait(Command("finalize"))

    def finish(self) -> LiveFinished:
        """Ends the session. Its job is `transcription_id`."""
        self._protocol.inbox.put_nowait(Command("finish"))
        self._background.wait_for_end()
        if not self._protocol.finished:
            raise LiveSessionError("closed", "The session was closed by its client.")
        return self._protocol.finished

    def stream(self, audio: FileInput) -> Iterator[LiveMessage]:
        """Sends a path, bytes, a binary file or an iterator of bytes, and yields the messages meanwhile, the last of which is `finished`.

        The input is read by a thread or task of its own. Leaving the loop closes the session."""
        self._background.beside(lambda: self._feed(audio))
        try:
            while (message := self._background.next()) is not None:
                yield message
        finally:
            self.close()

    def close(self) -> None:
        """Closes the connection without the end of the session, which another client may continue for a minute."""
        self._protocol.inbox.put_nowait(Command("leave"))
        self._background.close()

    def __iter__(self) -> Iterator[LiveMessage]:
        while (message := self._background.next()) is not None:
            yield message

    def __enter__(self) -> LiveSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r})"

    def _feed(self, audio: FileInput) -> None:
        source = as_it_comes(audio, FRAME_BYTES)
        try:
            while (piece := self._driver.run(plans.pull(source))) is not None:
                self.send(piece)
        finally:
            self._driver.run(plans.close_source(source))
        self._protocol.inbox.put_nowait(Command("finish"))

    def _has_room(self) -> bool:
        return self._given - self._protocol.acknowledged <= MAX_KEPT_BYTES


class Live(Resource):
    """Transcription while somebody speaks. `connect` needs the package websockets: `pip install 'parlance-client[live]'`."""

    def create(self, *, options: CallOptions | None = None, **session: Unpack[types.NewLiveSession]) -> types.CreatedLiveSession:
        """Creates a session, which a page or another program continues with its `url` and tokens."""
        return self._driver.run(self._transport.json(Request("POST", "/live", json=session), options))

    def token(self, session_id: str, *, options: CallOptions | None = None, **token: Unpack[types.NewLiveToken]) -> types.LiveToken:
        """A further token of a session: each opens one connection."""
        return self._driver.run(self._transport.json(Request("POST", path("live", session_id, "tokens"), json=token), options))

    def connect(
        self,
        *,
        on_reconnect: OnReconnect | None = None,
        tls: SSLContext | None = None,
        options: CallOptions | None = None,
        **session: Unpack[types.NewLiveSession],
    ) -> LiveSession:
        """Creates a session and connects to it. `on_reconnect` receives the error of a lost connection, before it is opened again.

        `max_retries` of the options also limits the attempts to open it again, by default 8 in a row."""
        require_websockets()
        created = self.create(options=options, **session)
        protocol = LiveProtocol(self._transport, created["id"], created["token"], self._driver.new_inbox(), on_reconnect, tls, options)
        return LiveSession(self._driver, protocol)

    def events(self, session_id: str, *, last_event_id: str | None = None, options: CallOptions | None = None) -> Iterator[types.LiveStreamEvent]:
        """The messages of a session for others than its sender, from any server. A broken connection is resumed after the last event."""
        request = Request("GET", path("live", session_id, "events"))
        return self._driver.iterate(follow(self._transport, request, lambda event: event["event"] == "finished", last_event_id, options))
