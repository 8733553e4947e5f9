"""Sends raw audio from standard input to a live session, and prints each final and at last the id of the job.

    ffmpeg -loglevel error -re -i talk.mp3 -f s16le -ar 16000 -ac 1 - | PARLANCE_API_KEY=… python transcribe.py
"""

import asyncio
import json
import os
import sys
import urllib.error
import urllib.request

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

URL = os.environ.get("PARLANCE_URL", "http://127.0.0.1:3000")
FRAME_BYTES = 3200  # a tenth of a second
RECONNECT_PAUSE = 0.5
MAX_KEPT_BYTES = 8 * 1024 * 1024  # about four minutes of 16 kHz samples


class SessionLost(Exception):
    """The session cannot be continued."""


def post(path, body):
    headers = {"authorization": f"Bearer {os.environ['PARLANCE_API_KEY']}", "content-type": "application/json"}
    request = urllib.request.Request(f"{URL}/api/v1{path}", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


class LiveSession:
    """Keeps audio until the server has stored it, and sends it again after a lost connection from where the server says."""

    def __init__(self, audio):
        self.session = post("/live", {"audio": audio})
        self.token = self.session["token"]
        self.kept = bytearray()
        self.acknowledged = 0
        self.sent = 0
        self.last_seq = 0
        self.ended = False
        self.more = asyncio.Event()
        self.room = asyncio.Event()

    async def give(self, audio):
        """The next bytes of the audio; none of them means that it has ended. Waits while too much of it is not stored."""
        while len(self.kept) > MAX_KEPT_BYTES:
            self.room.clear()
            await self.room.wait()
        self.kept += audio
        self.ended = self.ended or not audio
        self.more.set()

    async def run(self):
        """Yields the server's messages until the session is finished."""
        while True:
            error = None
            try:
                async for message in self.connection():
                    error = message if message["type"] == "error" else error
                    yield message
                    if message["type"] == "finished":
                        return
            except urllib.error.HTTPError as refused:
                if refused.code == 410 and self.ended:
                    print("the session ended while the connection was lost: its job has everything that was acknowledged", file=sys.stderr)
                    yield {"type": "finished", "transcription_id": self.session["id"]}
                    return
                if 400 <= refused.code < 500 and refused.code != 429:
                    raise SessionLost(f"no token: {refused}") from refused
                print(f"no token: {refused}", file=sys.stderr)
            except (ConnectionClosed, OSError, InvalidStatus) as closed:
                print(f"connection lost: {closed}", file=sys.stderr)
            if error and not error["retryable"]:
                raise SessionLost(f"{error['code']}: {error['message']}")
            await asyncio.sleep(error.get("retry_after_ms", 0) / 1000 if error else RECONNECT_PAUSE)

    async def connection(self):
        token, self.token = self.token or post(f"/live/{self.session['id']}/tokens", {})["token"], None
        address = f"{URL.replace('http', 'ws', 1)}/api/v1/live/{self.session['id']}/socket?after={self.last_seq}"
        async with connect(address, subprotocols=["parlance.v1", f"token.{token}"]) as socket:
            sender = None
            try:
                async for text in socket:
                    message = json.loads(text)
                    if message["type"] == "ready":
                        self.sent = message["acknowledged_offset"]
                        self.drop(self.sent)
                        sender = asyncio.create_task(self.send(socket))
                    elif message["type"] == "ack":
                        self.drop(message["offset"])
                    elif message["type"] == "go_away":
                        return
                    self.last_seq = message.get("seq", self.last_seq)
                    yield message
            finally:
                if sender:
                    sender.cancel()

    async def send(self, socket):
        while True:
            self.more.clear()
            while self.sent < self.acknowledged + len(self.kept):
                begin = self.sent - self.acknowledged
                frame = bytes(self.kept[begin : begin + FRAME_BYTES])
                await socket.send(frame)
                self.sent += len(frame)
            if self.ended:
                return await socket.send(json.dumps({"type": "finish"}))
            await self.more.wait()

    def drop(self, offset):
        del self.kept[: offset - self.acknowledged]
        self.acknowledged = offset
        self.room.set()


async def main():
    session = LiveSession({"encoding": "pcm_s16le", "sample_rate": 16000, "channels": 1})

    async def read():
        while not session.ended:
            await session.give(await asyncio.to_thread(sys.stdin.buffer.read1, FRAME_BYTES))

    reader = asyncio.create_task(read())
    async for message in session.run():
        if message["type"] == "final":
            print(f"{message['start']:.1f} {message['text']}", flush=True)
        if message["type"] == "finished":
            print(message["transcription_id"])
    await reader


if __name__ == "__main__":
    asyncio.run(main())
