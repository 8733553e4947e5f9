"""Makes one call with the Python client, synchronous or asynchronous, and prints how it ended."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from parlance import AsyncParlance, CallOptions, Parlance, ParlanceError

RAW: Any = {"encoding": "pcm_s16le", "sample_rate": 16_000, "channels": 1}
#: Without what the tests do not look at.
PLAIN: Any = {"diarization": False, "summary": False, "highlights": False}


def call_sync(run: dict[str, Any]) -> dict[str, Any]:
    options = CallOptions(idempotency_key=run.get("idempotency_key"))
    with Parlance(base_url=run["base_url"], api_key=run["api_key"], max_retries=run["max_retries"]) as client:
        match run["call"]:
            case "transcribe":
                return client.transcriptions.transcribe(file=run["recording"], **PLAIN, options=options)
            case "events":
                job_id = client.transcriptions.create(file=run["recording"], **PLAIN, options=options)["job_id"]
                *_, last = client.transcriptions.events(job_id)
                return {"job_id": job_id, "status": last["status"]}
            case "export":
                return {"text": client.transcriptions.export(run["job_id"], "pdf").decode("latin-1")}
            case "chat":
                *_, last = client.chat.stream("What was said?", job_id=run["job_id"], options=options)
                return {"text": last["answer"]}
            case _:
                with client.live.connect(audio=RAW, **PLAIN, options=CallOptions(max_retries=run["max_retries"])) as session:
                    *_, last = session.stream(run["recording"])
                return client.transcriptions.wait(last["transcription_id"])


async def call_async(run: dict[str, Any]) -> dict[str, Any]:
    options = CallOptions(idempotency_key=run.get("idempotency_key"))
    async with AsyncParlance(base_url=run["base_url"], api_key=run["api_key"], max_retries=run["max_retries"]) as client:
        match run["call"]:
            case "transcribe":
                return await client.transcriptions.transcribe(file=run["recording"], **PLAIN, options=options)
            case "events":
                job_id = (await client.transcriptions.create(file=run["recording"], **PLAIN, options=options))["job_id"]
                last = [event async for event in client.transcriptions.events(job_id)][-1]
                return {"job_id": job_id, "status": last["status"]}
            case "export":
                return {"text": (await client.transcriptions.export(run["job_id"], "pdf")).decode("latin-1")}
            case "chat":
                last = [event async for event in client.chat.stream("What was said?", job_id=run["job_id"], options=options)][-1]
                return {"text": last["answer"]}
            case _:
                async with await client.live.connect(audio=RAW, **PLAIN, options=CallOptions(max_retries=run["max_retries"])) as session:
                    last = [message async for message in session.stream(run["recording"])][-1]
                return await client.transcriptions.wait(last["transcription_id"])


def outcome_of(kind: str, run: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"result": call_sync(run) if kind == "sync" else asyncio.run(call_async(run))}
    except ParlanceError as error:
        values = {name: getattr(error, name) for name in ("retryable", "job_id", "idempotency_key", "attempts")}
        return {"error": {"type": type(error).__name__, "message": str(error), **{name: value for name, value in values.items() if value is not None}}}


print(json.dumps(outcome_of(sys.argv[1], json.load(sys.stdin))))
