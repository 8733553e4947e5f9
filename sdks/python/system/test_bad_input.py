"""Bad input: a typed error that says what to do."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

import parlance
from parlance import ApiError, JobFailedError, Parlance


def test_a_wrong_key(base_url: str) -> None:
    with Parlance(base_url=base_url, api_key="pl_wrong") as client, pytest.raises(ApiError) as raised:
        client.usage()
    assert (raised.value.status, raised.value.code, raised.value.attempts) == (401, "unauthenticated", 1)
    assert raised.value.request_id
    print(raised.value)


def test_no_key(base_url: str) -> None:
    with Parlance(base_url=base_url, api_key="") as client, pytest.raises(ApiError, match="PARLANCE_API_KEY") as raised:
        client.usage()
    assert raised.value.status == 401


def test_an_empty_file(client: Parlance, tmp_path: Path) -> None:
    empty = tmp_path / "empty.mp3"
    empty.touch()
    with pytest.raises(ApiError) as raised:
        client.transcriptions.transcribe(file=empty)
    print(raised.value)
    assert raised.value.code == "media_empty"


def test_bytes_that_are_no_recording(client: Parlance) -> None:
    with pytest.raises(JobFailedError) as raised:
        client.transcriptions.transcribe(file=b"no recording" * 100, file_name="text.mp3")
    print(raised.value)
    assert not raised.value.retryable


def test_a_model_that_is_not_there(client: Parlance, reading: Path) -> None:
    with pytest.raises(ApiError) as raised:
        client.transcriptions.create(file=reading, model="nobody-has-it")
    print(raised.value)
    assert raised.value.code == "model_unknown"


def test_a_format_that_is_not_there(client: Parlance, job_id: str) -> None:
    unknown: Any = "wordperfect"
    with pytest.raises(ApiError) as raised:
        client.transcriptions.export(job_id, unknown)
    print(raised.value)
    assert raised.value.status in (400, 404, 422)


def test_more_than_five_gigabytes_are_refused_before_they_are_sent(client: Parlance, tmp_path: Path) -> None:
    most = client.request("GET", "")["features"]["max_media_bytes"]
    large = tmp_path / "large.wav"
    sent: list[int] = []
    with large.open("wb") as file:
        file.truncate(most + 1)
    with pytest.raises(ApiError) as raised:
        client.transcriptions.create(file=large, on_upload_progress=lambda bytes_sent, _: sent.append(bytes_sent))
    print(raised.value)
    assert (raised.value.status, sent) == (413, [])


def test_a_file_that_is_not_there(client: Parlance, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.mp3"):
        client.transcriptions.create(file=tmp_path / "none.mp3")


def test_an_input_that_is_no_file(client: Parlance) -> None:
    number: Any = 5
    with pytest.raises(parlance.ParlanceError, match="has to be a path"):
        client.transcriptions.create(file=number)


def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with Parlance(base_url=f"http://127.0.0.1:{port}", max_retries=0) as client, pytest.raises(parlance.ConnectionError, match=f"127.0.0.1:{port}"):
        client.usage()
