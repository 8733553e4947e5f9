"""Live sessions whose connection is cut."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from cutting_proxy import cutting_proxy

from parlance import AsyncParlance, Parlance, ParlanceError

if TYPE_CHECKING:
    from parlance.live_messages import LiveMessage
    from parlance.types import LiveRawAudio

RAW: LiveRawAudio = {"encoding": "pcm_s16le", "sample_rate": 16_000, "channels": 1}
FRAME = 8000


def _words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def _assert_whole(client: Parlance, messages: list[LiveMessage], lost: list[ParlanceError]) -> None:
    """No word was lost or came twice."""
    assert lost
    finals = [message for message in messages if message["type"] == "final"]
    sequences = [final["seq"] for final in finals]
    assert sequences == sorted(set(sequences))
    last = messages[-1]
    assert last["type"] == "finished"
    job = client.transcriptions.wait(last["transcription_id"])
    assert _words(job["transcript"]["text"]) == _words(" ".join(final["text"] for final in finals))


def test_goes_on_after_a_cut_connection(client: Parlance, base_url: str, speech: bytes) -> None:
    heard_first = threading.Event()
    lost: list[ParlanceError] = []
    messages: list[LiveMessage] = []
    with cutting_proxy(base_url) as proxy, Parlance(base_url=proxy.url) as through:

        def audio() -> Iterator[bytes]:
            for at in range(0, len(speech), FRAME):
                if at >= len(speech) // 2 and not heard_first.is_set():
                    assert heard_first.wait(60)
                    proxy.cut()
                yield speech[at : at + FRAME]

        with through.live.connect(audio=RAW, on_reconnect=lost.append) as session:
            for message in session.stream(audio()):
                messages.append(message)
                if message["type"] == "final":
                    heard_first.set()
    _assert_whole(client, messages, lost)
    assert list(client.live.events(session.id))[-1]["event"] == "finished"


def test_goes_on_after_a_cut_connection_asynchronously(client: Parlance, base_url: str, speech: bytes) -> None:
    lost: list[ParlanceError] = []

    async def run(url: str) -> list[LiveMessage]:
        messages: list[LiveMessage] = []
        heard_first = asyncio.Event()

        async def audio() -> AsyncIterator[bytes]:
            for at in range(0, len(speech), FRAME):
                if at >= len(speech) // 2 and not heard_first.is_set():
                    await asyncio.wait_for(heard_first.wait(), 60)
                    proxy.cut()
                yield speech[at : at + FRAME]

        async with AsyncParlance(base_url=url) as through, await through.live.connect(audio=RAW, on_reconnect=lost.append) as session:
            async for message in session.stream(audio()):
                messages.append(message)
                if message["type"] == "final":
                    heard_first.set()
        return messages

    with cutting_proxy(base_url) as proxy:
        messages = asyncio.run(run(proxy.url))
    _assert_whole(client, messages, lost)


def test_sends_and_finishes_without_a_loop(client: Parlance, speech: bytes) -> None:
    with client.live.connect(audio=RAW, language="en") as session:
        session.send(speech)
        finished = session.finish()
    assert finished["transcription_id"] == session.id
    assert client.transcriptions.wait(session.id)["transcript"]["text"]
