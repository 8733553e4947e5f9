"""Mistakes of a caller that mypy finds: each ignored error has to be there. This file is only checked, and never runs."""

from __future__ import annotations

from typing_extensions import assert_type

from parlance import AsyncParlance, Parlance
from parlance.live_messages import LiveFinal


def mistakes(client: Parlance) -> None:
    client.transcriptions.create(file="talk.mp3", languge="en")  # type: ignore[call-arg]
    client.transcriptions.create(file="talk.mp3", highlights="yes")  # type: ignore[arg-type]
    client.transcriptions.transcribe(file=5)  # type: ignore[arg-type]
    client.transcriptions.list(status="done")  # type: ignore[arg-type]
    client.transcriptions.update("job_1", name="A meeting")  # type: ignore[call-arg]
    client.search("budget", mode="fuzzy")  # type: ignore[arg-type]
    client.chat.ask("What was decided?", job="job_1")  # type: ignore[call-arg]
    client.webhooks.endpoints.create(event_types=["transcription.completed"])  # type: ignore[call-arg]
    client.live.connect(audio={"encoding": "mp3", "sample_rate": 16_000})  # type: ignore[typeddict-item]
    client.transcriptions.get("job_1")["txt"]  # type: ignore[typeddict-item]


async def types_of_results(client: Parlance, asynchronous: AsyncParlance) -> None:
    assert_type(client.transcriptions.export("job_1", "srt"), str)
    assert_type(client.transcriptions.export("job_1", "pdf"), bytes)
    assert_type(await asynchronous.transcriptions.export("job_1", "docx"), bytes)
    with client.live.connect() as session:
        for message in session.stream(b""):
            if message["type"] == "final":
                assert_type(message, LiveFinal)
