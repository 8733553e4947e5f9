"""Recordings, all the way."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc
from pathlib import Path

import pytest
from eventually import eventually
from webhook_receiver import webhook_receiver

from parlance import AsyncParlance, CallOptions, Parlance, ResponseInfo, WebhookVerificationError


def test_creates_a_job_and_waits_for_it(client: Parlance, reading: Path) -> None:
    sent: list[tuple[int, int | None]] = []
    seen: list[str] = []
    created = client.transcriptions.create(file=reading, language="en", on_upload_progress=lambda *each: sent.append(each))
    job = client.transcriptions.wait(created["job_id"], on_progress=lambda job: seen.append(job["status"]))
    assert sent[-1] == (reading.stat().st_size, reading.stat().st_size)
    assert (job["status"], seen[-1]) == ("completed", "completed")
    assert job["transcript"]["text"]
    events = list(client.transcriptions.events(created["job_id"]))
    assert events[-1]["event"] == "done"
    # Another service keeps the events of the account.
    eventually("the events of the account", lambda: "transcription.completed" in {event["type"] for event in client.events(job_id=created["job_id"])})


def test_transcribes_asynchronously(reading: Path) -> None:
    content = reading.read_bytes()

    async def run() -> None:
        async with AsyncParlance() as client:
            job = await client.transcriptions.transcribe(file=content, file_name="reading.flac", language="en")
            assert job["transcript"]["text"] in await client.transcriptions.export(job["job_id"], "txt")
            assert [each["job_id"] async for each in client.transcriptions.list(limit=1)]

    asyncio.run(run())


def test_keeps_few_pieces_of_a_large_upload_in_memory(client: Parlance) -> None:
    size = 64 << 20
    piece = bytes(1 << 20)
    # Nothing may count on the garbage collector, which seldom runs during an upload.
    gc.disable()
    tracemalloc.start()
    try:
        upload = client.uploads.create((piece for _ in range(size // len(piece))), size=size)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()
    client.uploads.delete(upload["upload_id"])
    assert upload["size_bytes"] == size
    assert most < 48 << 20


def test_reads_and_changes_a_job(client: Parlance, job_id: str) -> None:
    changed = client.transcriptions.update(job_id, title="A meeting", metadata={"job": job_id})
    assert changed["title"] == "A meeting"
    assert [job["job_id"] for job in client.transcriptions.list(metadata=[f"job:{job_id}"], statuses=["completed", "failed"])] == [job_id]
    assert client.transcriptions.export(job_id, "srt", max_line_chars=32).startswith("1\n00:00:")
    assert client.transcriptions.export(job_id, "pdf").startswith(b"%PDF-")
    assert sum(map(len, client.transcriptions.media(job_id))) > 10_000
    speaker = next(client.speakers.list(job_id))
    assert client.speakers.rename(job_id, speaker["speaker_id"], "Ada")["name"] == "Ada"
    eventually("the usage", lambda: client.usage(group_by="day")["total_seconds"] > 0)
    assert client.request("GET", "/languages")
    assert next(client.uploads.list(status="completed"))["upload_id"]


def test_orders_reads_and_deletes_a_summary(client: Parlance, job_id: str) -> None:
    summary = client.summaries.create(job_id, format="bullets")["summary_id"]
    eventually("the summary", lambda: client.summaries.get(job_id, summary, wait=25)["status"] == "completed")
    assert [each["summary_id"] for each in client.summaries.list(job_id)].count(summary) == 1
    client.summaries.delete(job_id, summary)
    assert summary not in [each["summary_id"] for each in client.summaries.list(job_id)]


def test_deletes_a_job(client: Parlance, reading: Path) -> None:
    heads: list[ResponseInfo] = []
    job_id = client.transcriptions.transcribe(file=reading)["job_id"]
    assert client.transcriptions.delete(job_id, options=CallOptions(on_response=heads.append))["erasure_id"]
    assert [head.status for head in heads] == [202]


def test_searches_asks_and_streams_an_answer(client: Parlance, job_id: str) -> None:
    text = client.transcriptions.get(job_id)["transcript"]["text"]
    words = " ".join(text.split()[:3])
    hits = eventually("the passage", lambda: list(client.search(words, job_id=job_id)))
    assert hits[0]["job_id"] == job_id
    answer = client.chat.ask(f"Who said {words}?", job_id=job_id)
    events = list(client.chat.stream(f"Who said {words}?", job_id=job_id))
    assert {event["event"] for event in events} >= {"delta", "citations", "done"}
    last = events[-1]
    assert last["event"] == "done"
    assert last["answer"] == answer["answer"]


def test_verifies_a_webhook(client: Parlance, reading: Path) -> None:
    with webhook_receiver() as receiver:
        job_id = client.transcriptions.transcribe(file=reading, callback_url=receiver.url)["job_id"]
        delivery = receiver.first("transcription.completed")
    secret = client.webhooks.secret()
    event = client.webhooks.verify(delivery.body, delivery.headers, secret)
    assert event["type"] == "transcription.completed"
    assert event["data"]["job_id"] == job_id
    assert client.webhooks.verify(delivery.body, delivery.headers, secret["secret"]) == event
    with pytest.raises(WebhookVerificationError, match="Check that the body is the raw one"):
        client.webhooks.verify(delivery.body.replace(b"completed", b"started"), delivery.headers, secret)


def test_keeps_endpoints_of_webhooks(client: Parlance) -> None:
    created = client.webhooks.endpoints.create(url="http://127.0.0.1:9/hook", event_types=["transcription.completed"])
    assert created["secret"].startswith("whsec_")
    assert created["endpoint_id"] in [each["endpoint_id"] for each in client.webhooks.endpoints.list()]
    client.webhooks.endpoints.delete(created["endpoint_id"])
    assert created["endpoint_id"] not in [each["endpoint_id"] for each in client.webhooks.endpoints.list()]
