"""Measures the memory of `transcribe` with a recording of one hour, against the running product: python bench/memory.py

Prints for each client the most that it used above an interpreter that has only imported httpx. Fails above 50 MB. Linux, with ffmpeg.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

LIMIT_MB = 50.0
SECONDS = 3600
SAMPLE = Path(__file__).parents[3] / "samples" / "meeting.mp3"


def megabytes(name: str) -> float:
    """A value of /proc/self/status."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def measure(client: str, recording: str) -> None:
    """Prints the memory of one client, in a process of its own."""
    import httpx  # noqa: F401, PLC0415

    before = megabytes("VmRSS")
    from parlance import AsyncParlance, Parlance  # noqa: PLC0415

    async def asynchronous() -> int:
        async with AsyncParlance() as used:
            return len((await used.transcriptions.transcribe(file=recording))["transcript"]["text"])

    if client == "AsyncParlance":
        characters = asyncio.run(asynchronous())
    else:
        with Parlance() as used:
            characters = len(used.transcriptions.transcribe(file=recording)["transcript"]["text"])
    print(f"{megabytes('VmHWM') - before:.1f} {characters}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "hour.wav"
        options = ["-nostdin", "-loglevel", "error", "-stream_loop", "-1", "-i", str(SAMPLE), "-t", str(SECONDS), "-ac", "1", "-ar", "16000", str(recording)]
        subprocess.run(["ffmpeg", *options], check=True)
        size = recording.stat().st_size / 1e6
        worst = 0.0
        for client in ("Parlance", "AsyncParlance"):
            command = [sys.executable, __file__, client, str(recording)]
            megabytes_used, characters = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
            worst = max(worst, float(megabytes_used))
            print(f"{client}: {megabytes_used} MB for a file of {size:.0f} MB and a transcript of {characters} characters")
    return 0 if worst < LIMIT_MB else 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1], sys.argv[2])
    else:
        sys.exit(main())
