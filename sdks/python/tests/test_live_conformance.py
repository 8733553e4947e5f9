"""The live cases of the conformance suite, for both clients."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import websockets.sync.client  # noqa: F401 - its import takes longer than the time of a case
from conformance_case import API_KEY, CONTROL_SECONDS, SUITE, assert_contains, described, pattern, settings_of

from parlance import AsyncLiveSession, AsyncParlance, CallOptions, LiveSession, Parlance

pytest_plugins = ["fault_server"]

CASES = [case for file in sorted(SUITE.glob("live-cases/*.json")) for case in json.loads(file.read_text())]
#: A session that waits for something that never comes fails by itself.
LIMIT = 30.0
KEPT = ("partial", "final", "gap")


class Outcome:
    """What the client received."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.messages: list[Any] = []
        self.waiting: list[Any] = []
        self.reconnects = 0
        self.result: Any = None

    def watch(self, request: httpx.Request) -> None:
        """Keeps the keys of the creation: those of tokens are others."""
        if request.url.path.endswith("/live"):
            self.keys.add(request.headers["idempotency-key"])

    def reconnected(self, _error: BaseException) -> None:
        """Counts the reconnections."""
        self.reconnects += 1

    def add(self, message: Any) -> None:
        """Keeps a message."""
        self.waiting.append(message)
        if message["type"] in KEPT:
            self.messages.append(message)

    def has(self, fields: dict[str, Any]) -> bool:
        """Whether a message with these fields came. It and those before it are passed over."""
        for index, message in enumerate(self.waiting):
            if fields.items() <= {name: message.get(name) for name in fields}.items():
                del self.waiting[: index + 1]
                return True
        return False


def run_sync(case: dict[str, Any], base_url: str, outcome: Outcome) -> None:
    changed = threading.Condition()
    has_ended = False

    def collect(session: LiveSession) -> None:
        nonlocal has_ended
        try:
            for message in session:
                with changed:
                    outcome.add(message)
                    changed.notify_all()
        except Exception:
            pass
        with changed:
            has_ended = True
            changed.notify_all()

    http = httpx.Client(event_hooks={"request": [outcome.watch]})
    with (
        Parlance(**settings_of(case, base_url), http_client=http) as client,
        _interrupted(case),
        client.live.connect(**case["params"], on_reconnect=outcome.reconnected, options=options_of(case)) as session,
    ):
        collector = threading.Thread(target=collect, args=(session,), daemon=True)
        collector.start()
        sent = 0
        for action in case["actions"]:
            match action:
                case {"send": length}:
                    session.send(pattern(sent, length))
                    sent += length
                case {"until": fields}:
                    with changed:
                        assert changed.wait_for(lambda: has_ended or outcome.has(fields), LIMIT)
                case {"finalize": True}:
                    session.finalize()
                case {"close": True}:
                    session.close()
        outcome.result = session.finish()
        collector.join(LIMIT)


def options_of(case: dict[str, Any]) -> CallOptions:
    return CallOptions(max_retries=case.get("options", {}).get("max_retries"))


@contextmanager
def _interrupted(case: dict[str, Any]) -> Iterator[None]:
    """Interrupts the case as Ctrl-C does, where it says so."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, case.get("options", {}).get("cancel_after", 0) / 1000)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


async def run_async(case: dict[str, Any], base_url: str, outcome: Outcome) -> None:
    changed = asyncio.Event()

    async def collect(session: AsyncLiveSession) -> None:
        try:
            async for message in session:
                outcome.add(message)
                changed.set()
        finally:
            changed.set()

    async def watch(request: httpx.Request) -> None:
        outcome.watch(request)

    async def performed(client: AsyncParlance) -> None:
        async with await client.live.connect(**case["params"], on_reconnect=outcome.reconnected, options=options_of(case)) as session:
            collector = asyncio.create_task(collect(session))
            sent = 0
            for action in case["actions"]:
                match action:
                    case {"send": length}:
                        await session.send(pattern(sent, length))
                        sent += length
                    case {"until": fields}:
                        while not outcome.has(fields) and not collector.done():
                            changed.clear()
                            await changed.wait()
                    case {"finalize": True}:
                        session.finalize()
                    case {"close": True}:
                        await session.close()
            try:
                outcome.result = await session.finish()
            finally:
                await asyncio.gather(collector, return_exceptions=True)

    http = httpx.AsyncClient(event_hooks={"request": [watch]})
    async with AsyncParlance(**settings_of(case, base_url), http_client=http) as client:
        task = asyncio.create_task(performed(client))
        if after := case.get("options", {}).get("cancel_after"):
            asyncio.get_running_loop().call_later(after / 1000, task.cancel)
        await asyncio.wait_for(task, LIMIT)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_live_conformance(server: str, case: dict[str, Any], is_async: bool) -> None:
    run = httpx.post(f"{server}/control/runs", json={"case": case["name"]}, timeout=CONTROL_SECONDS).json()
    outcome, error = Outcome(), None
    try:
        if is_async:
            asyncio.run(run_async(case, run["base_url"], outcome))
        else:
            run_sync(case, run["base_url"], outcome)
    except BaseException as raised:
        error = raised
    assert httpx.get(f"{server}/control/runs/{run['run']}", timeout=CONTROL_SECONDS).json() == {"faults": []}
    if error is not None:
        shown = f"{error!r} {vars(error)} {''.join(traceback.format_exception(error))}"
        assert API_KEY not in shown
        assert "tok_" not in shown
    if expected := case.get("error"):
        assert error is not None
        values = described(error, outcome.keys)
        assert expected.get("message_contains", "") in values["message"]
        assert_contains(values, {name: value for name, value in expected.items() if name != "message_contains"})
    elif error is not None:
        raise error
    if "result" in case:
        assert_contains(outcome.result, case["result"])
    if "messages" in case:
        assert_contains(outcome.messages, case["messages"])
    if "reconnects" in case:
        assert outcome.reconnects == case["reconnects"]
