"""The clients of the running product, whose address and key are in the environment."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlance import Parlance

SAMPLES = Path(__file__).parents[3] / "samples"


@pytest.fixture(scope="session")
def client() -> Iterator[Parlance]:
    with Parlance() as client:
        yield client


@pytest.fixture(scope="session")
def base_url() -> str:
    return os.environ["PARLANCE_BASE_URL"]


@pytest.fixture(scope="session")
def reading() -> Path:
    return SAMPLES / "reading.flac"


@pytest.fixture(scope="session")
def speech() -> bytes:
    """The meeting as 16 kHz samples."""
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(SAMPLES / "meeting.mp3"), "-f", "s16le", "-ar", "16000", "-ac", "1", "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


@pytest.fixture(scope="session")
def job_id(client: Parlance) -> str:
    """A job that has ended."""
    return client.transcriptions.transcribe(file=SAMPLES / "meeting.mp3", language="en")["job_id"]
