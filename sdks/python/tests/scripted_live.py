"""A live session whose server follows a script: a function for each connection."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

SESSION = "job_live"
LIMITS = {"max_frame_bytes": 1 << 20, "idle_ms": 60_000, "max_session_ms": 14_400_000}


class Line:
    """One connection: says messages, and takes audio and commands."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        assert connection.request
        self.query = parse_qs(urlsplit(connection.request.path).query)
        self.token = str(connection.request.headers["Sec-WebSocket-Protocol"]).rpartition("token.")[2]
        self.audio = b""
        self.commands: list[str] = []

    def say(self, kind: str, **fields: Any) -> None:
        """Sends a message."""
        self._connection.send(json.dumps({"type": kind, **fields}))

    def ready(self, offset: int = 0, last_seq: int = 0) -> None:
        """The first message of a connection."""
        self.say("ready", session_id=SESSION, generation=1, acknowledged_offset=offset, last_seq=last_seq, mode="native", engine="scripted", limits=LIMITS)

    def ack(self, offset: int) -> None:
        """Acknowledges audio."""
        self.say("ack", offset=offset, audio_ms=0, processed_ms=0, lag_ms=0, final_ms=0)

    def final(self, seq: int, text: str) -> None:
        """An utterance."""
        self.say("final", seq=seq, utterance=seq, id=f"u{seq}", start=0, end=1, text=text, words=[], endpoint="silence")

    def finished(self, seq: int) -> None:
        """The end of the session."""
        self.say("finished", seq=seq, transcription_id=SESSION, audio_ms=1000)

    def until(self, holds: Callable[[], bool]) -> None:
        """Receives until the condition holds."""
        while not holds():
            frame = self._connection.recv(timeout=60)
            if isinstance(frame, bytes):
                self.audio += frame
            else:
                self.commands.append(json.loads(frame)["type"])

    def until_finish(self) -> None:
        """Receives until the client says that it has sent everything."""
        self.until(lambda: "finish" in self.commands)

    def close(self, code: int) -> None:
        """Closes the connection with a code."""
        self._connection.close(code)

    def cut(self) -> None:
        """Ends the connection as a network does."""
        self._connection.socket.close()


Script = Callable[[Line], None]


@dataclass
class Scripted:
    """The server, and what it received."""

    url: str = ""
    lines: list[Line] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    #: Answers of `POST /live/{id}/tokens`, by default a token.
    token_answers: list[httpx.Response] = field(default_factory=list)
    events: str = ""

    def answer(self, request: httpx.Request) -> httpx.Response:
        """The HTTP requests of the session."""
        if request.url.path.endswith("/tokens"):
            return self.token_answers.pop(0) if self.token_answers else httpx.Response(201, json={"token": f"t{len(self.lines) + 1}"})
        if request.url.path.endswith("/events"):
            assert request.headers["last-event-id"] == "1"
            return httpx.Response(200, text=self.events, headers={"content-type": "text/event-stream"})
        return httpx.Response(201, json={"id": SESSION, "token": "t1", "url": "", "limits": LIMITS})


@contextmanager
def scripted(*scripts: Script, refusal: Response | None = None) -> Iterator[Scripted]:
    """Serves the scripts, one for each connection. Fails when one of them did."""
    server_state = Scripted()

    def handle(connection: ServerConnection) -> None:
        line = Line(connection)
        server_state.lines.append(line)
        try:
            scripts[len(server_state.lines) - 1](line)
        except (ConnectionClosed, OSError):
            pass
        except Exception as error:
            server_state.faults.append(repr(error))

    def refuse(_connection: ServerConnection, _request: Request) -> Response | None:
        return refusal

    with serve(handle, "127.0.0.1", 0, subprotocols=["parlance.v1"], process_request=refuse) as server:  # type: ignore[list-item]
        server_state.url = f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server_state
        finally:
            server.shutdown()
            thread.join()
    assert server_state.faults == []
