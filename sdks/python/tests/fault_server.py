"""The server of the conformance suite."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest
from conformance_case import SUITE


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    process = subprocess.Popen(["node", str(SUITE / "fault-server.mjs")], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait()
