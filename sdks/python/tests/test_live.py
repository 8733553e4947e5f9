"""Live sessions against a scripted server, with both clients."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from scripted_live import Line, Scripted, scripted
from websockets.datastructures import Headers
from websockets.http11 import Response

import parlance
from parlance import AsyncParlance, LiveSessionError, Parlance

RAW: Any = {"encoding": "pcm_s16le", "sample_rate": 16_000}
AUDIO = bytes(range(256)) * 512

Messages = list[Any]


def _sync(server: Scripted, audio: Any, **given: Any) -> Messages:
    http = httpx.Client(transport=httpx.MockTransport(server.answer))
    with Parlance(base_url=server.url, api_key="pl_x", http_client=http) as client, client.live.connect(audio=RAW, **given) as session:
        return list(session.stream(audio))


def _async(server: Scripted, audio: Any, **given: Any) -> Messages:
    async def run() -> Messages:
        http = httpx.AsyncClient(transport=httpx.MockTransport(server.answer))
        async with AsyncParlance(base_url=server.url, api_key="pl_x", http_client=http) as client:
            async with await client.live.connect(audio=RAW, **given) as session:
                return [message async for message in session.stream(audio)]

    return asyncio.run(run())


@pytest.fixture(params=[_sync, _async], ids=["sync", "async"])
def stream(request: pytest.FixtureRequest) -> Callable[..., Messages]:
    client: Callable[..., Messages] = request.param
    return client


def _types(messages: Messages) -> list[str]:
    return [message["type"] for message in messages if message["type"] != "ack"]


def _to_the_end(line: Line) -> None:
    line.ready()
    line.until_finish()
    line.ack(len(line.audio))
    line.final(1, "Hello.")
    line.finished(2)


def _pieces() -> Iterator[bytes]:
    for at in range(0, len(AUDIO), 3200):
        yield AUDIO[at : at + 3200]


@pytest.mark.parametrize("kind", ["bytes", "path", "file", "iterator"])
def test_sends_every_kind_of_audio_and_yields_the_messages(stream: Callable[..., Messages], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "talk.raw"
    path.write_bytes(AUDIO)
    with scripted(_to_the_end) as server, path.open("rb") as opened:
        messages = stream(server, {"bytes": AUDIO, "path": path, "file": opened, "iterator": _pieces()}[kind])
    assert _types(messages) == ["ready", "final", "finished"]
    assert messages[-1]["transcription_id"] == "job_live"
    assert server.lines[0].audio == AUDIO
    assert (server.lines[0].token, server.lines[0].query) == ("t1", {"after": ["0"]})


def test_sends_what_is_not_acknowledged_again_after_a_lost_connection(stream: Callable[..., Messages]) -> None:
    def first(line: Line) -> None:
        line.ready()
        line.until(lambda: len(line.audio) >= 50_000)
        line.ack(10_001)
        line.final(1, "Hello.")
        line.close(1012)

    def second(line: Line) -> None:
        line.ready(offset=20_003, last_seq=1)
        line.until_finish()
        line.final(2, "World.")
        line.finished(3)

    lost: list[BaseException] = []
    with scripted(first, second) as server:
        messages = stream(server, _pieces(), on_reconnect=lost.append)
    assert [message["text"] for message in messages if message["type"] == "final"] == ["Hello.", "World."]
    assert server.lines[1].audio == AUDIO[20_003:]
    assert (server.lines[1].token, server.lines[1].query) == ("t2", {"after": ["1"]})
    assert [type(error) for error in lost] == [parlance.ConnectionError]


def test_connects_again_when_the_server_is_about_to_stop(stream: Callable[..., Messages]) -> None:
    def first(line: Line) -> None:
        line.ready()
        line.say("go_away", reconnect_within_ms=10_000)
        line.until(lambda: False)

    def second(line: Line) -> None:
        line.ready()
        line.until_finish()
        line.finished(1)

    with scripted(first, second) as server:
        assert _types(stream(server, AUDIO)) == ["ready", "go_away", "ready", "finished"]
    assert server.lines[1].audio == AUDIO


def test_says_finish_again_when_the_connection_is_lost_after_it(stream: Callable[..., Messages]) -> None:
    def first(line: Line) -> None:
        line.ready()
        line.until_finish()
        line.cut()

    def second(line: Line) -> None:
        line.ready(offset=len(AUDIO))
        line.until_finish()
        line.finished(1)

    with scripted(first, second) as server:
        stream(server, AUDIO)
    assert (server.lines[1].audio, server.lines[1].commands) == (b"", ["finish"])


def _refusing(retryable: bool, **more: Any) -> Callable[[Line], None]:
    def script(line: Line) -> None:
        line.say("error", code="no_live_capacity", message="No place is free.", retryable=retryable, request_id="req_1", **more)
        line.close(1013)

    return script


def test_waits_as_long_as_the_server_asks(stream: Callable[..., Messages]) -> None:
    lost: list[LiveSessionError] = []
    with scripted(_refusing(True, retry_after_ms=5), _to_the_end) as server:
        assert _types(stream(server, AUDIO, on_reconnect=lost.append)) == ["error", "ready", "final", "finished"]
    assert [(error.code, error.retry_after) for error in lost] == [("no_live_capacity", 0.005)]


def test_ends_with_an_error_that_is_not_retryable(stream: Callable[..., Messages]) -> None:
    with scripted(_refusing(False)) as server, pytest.raises(LiveSessionError, match=r"^no_live_capacity: No place is free\.$") as raised:
        stream(server, AUDIO)
    assert (raised.value.code, raised.value.request_id, raised.value.retryable) == ("no_live_capacity", "req_1", False)


def test_gives_up_a_server_that_stays_away(stream: Callable[..., Messages]) -> None:
    lost: list[parlance.ParlanceError] = []
    with scripted() as server:
        pass
    with pytest.raises(parlance.ConnectionError, match="The job job_live has everything that was acknowledged") as raised:
        stream(server, AUDIO, on_reconnect=lost.append, options=parlance.CallOptions(max_retries=1))
    assert raised.value.job_id == "job_live"
    assert len(lost) == 1


def test_gives_up_a_proxy_whose_page_cannot_become_a_session(stream: Callable[..., Messages]) -> None:
    lost: list[parlance.ParlanceError] = []
    page = Response(404, "Not Found", Headers({"content-type": "text/html", "content-length": "14"}), b"<h1>proxy</h1>")
    with scripted(refusal=page) as server, pytest.raises(parlance.UnexpectedResponseError, match="Check the base URL") as raised:
        stream(server, AUDIO, on_reconnect=lost.append)
    assert (raised.value.status, raised.value.excerpt) == (404, "<h1>proxy</h1>")
    assert not lost


def test_tries_again_while_a_proxy_says_that_the_server_is_away(stream: Callable[..., Messages]) -> None:
    lost: list[parlance.ParlanceError] = []
    page = Response(502, "Bad Gateway", Headers({"content-type": "text/html", "content-length": "14"}), b"<h1>proxy</h1>")
    with scripted(refusal=page) as server, pytest.raises(parlance.UnexpectedResponseError):
        stream(server, AUDIO, on_reconnect=lost.append, options=parlance.CallOptions(max_retries=1))
    assert len(lost) == 1


ENDED = {"code": "live_ended", "status": 410, "detail": "The session has ended.", "retryable": False}


def test_ends_with_the_refusal_of_a_token(stream: Callable[..., Messages]) -> None:
    waits = threading.Event()

    def endless() -> Iterator[bytes]:
        yield AUDIO
        waits.wait()

    with scripted(lambda line: line.cut()) as server, pytest.raises(LiveSessionError, match=r"^live_ended: The session has ended\.$"):
        server.token_answers.append(httpx.Response(410, json=ENDED))
        try:
            stream(server, endless() if stream is _sync else _endless())
        finally:
            waits.set()


async def _endless() -> Any:
    yield AUDIO
    await asyncio.Event().wait()


def test_reads_the_rest_of_a_session_that_ended_while_the_connection_was_lost(stream: Callable[..., Messages]) -> None:
    def first(line: Line) -> None:
        line.ready()
        line.until_finish()
        line.ack(len(AUDIO))
        line.final(1, "Hello.")
        line.close(1011)

    with scripted(first) as server:
        server.token_answers.append(httpx.Response(410, json=ENDED))
        server.events = 'id: 2\nevent: finished\ndata: {"event": "finished", "seq": 2, "transcription_id": "job_live", "audio_ms": 1000}\n\n'
        messages = stream(server, AUDIO)
    assert _types(messages) == ["ready", "final", "finished"]
    assert messages[-1]["transcription_id"] == "job_live"


def test_raises_what_the_input_raises(stream: Callable[..., Messages]) -> None:
    def broken() -> Iterator[bytes]:
        yield AUDIO
        raise OSError("the microphone is gone")

    with scripted(_to_the_end) as server, pytest.raises(OSError, match="the microphone is gone"):
        stream(server, broken())


def test_does_not_wait_for_a_full_piece_of_a_pipe(stream: Callable[..., Messages]) -> None:
    read, write = os.pipe()
    os.write(write, b"a few bytes")

    def script(line: Line) -> None:
        line.ready()
        line.until(lambda: line.audio == b"a few bytes")
        os.close(write)
        line.until_finish()
        line.finished(1)

    with scripted(script) as server, open(read, "rb") as pipe:
        stream(server, pipe)
    assert server.lines[0].audio == b"a few bytes"


def test_send_waits_while_too_much_is_not_acknowledged() -> None:
    acknowledges = threading.Event()

    def script(line: Line) -> None:
        line.ready()
        line.until(lambda: len(line.audio) > 8 << 20)
        acknowledges.wait()
        line.ack(len(line.audio))
        line.until_finish()
        line.finished(1)

    with scripted(script) as server:
        http = httpx.Client(transport=httpx.MockTransport(server.answer))
        with Parlance(base_url=server.url, http_client=http) as client, client.live.connect(audio=RAW) as session:
            sending = threading.Thread(target=session.send, args=(bytes(10 << 20),))
            sending.start()
            while session._given <= 8 << 20:
                threading.Event().wait(0.01)
            sending.join(0.2)
            assert sending.is_alive()
            assert session._given <= (8 << 20) + (64 << 10)
            acknowledges.set()
            sending.join()
            session.finalize()
            assert session.finish()["transcription_id"] == "job_live"
            with pytest.raises(LiveSessionError, match="has ended"):
                session.send(b"more")
    assert len(server.lines[0].audio) == 10 << 20
    assert server.lines[0].commands == ["finalize", "finish"]


def test_leaving_the_loop_closes_the_session() -> None:
    closed = threading.Event()

    def script(line: Line) -> None:
        try:
            line.ready()
            line.until(lambda: False)
        finally:
            closed.set()

    with scripted(script) as server:
        http = httpx.Client(transport=httpx.MockTransport(server.answer))
        with Parlance(base_url=server.url, http_client=http) as client, client.live.connect(audio=RAW) as session:
            for message in session.stream(AUDIO):
                assert message["type"] == "ready"
                break
            assert closed.wait(60)
            with pytest.raises(LiveSessionError, match="closed by its client"):
                session.finish()
