"""The conformance suite of the SDKs, for both clients."""

from __future__ import annotations

import asyncio
import inspect
import json
import signal
import tempfile
import traceback
from pathlib import Path
from typing import Any

import httpx
import pytest
from conformance_case import API_KEY, CONTROL_SECONDS, SUITE, assert_contains, described, pattern, settings_of, timeout_of

from parlance import AsyncParlance, CallOptions, Parlance

pytest_plugins = ["fault_server"]

CASES = [case for file in sorted(SUITE.glob("cases/*.json")) for case in json.loads(file.read_text())]
CHUNK = 65_000


class Runner:
    """Makes the call of a case with one of the clients."""

    def __init__(self, case: dict[str, Any], base_url: str, is_async: bool) -> None:
        self.case, self.is_async = case, is_async
        self.keys: set[str] = set()
        self.progress: list[float] = []
        settings = settings_of(case, base_url)
        if is_async:
            self.client: Any = AsyncParlance(**settings, http_client=httpx.AsyncClient(event_hooks={"request": [self._watch_async]}))
        else:
            self.client = Parlance(**settings, http_client=httpx.Client(event_hooks={"request": [self._watch]}))

    def _watch(self, request: httpx.Request) -> None:
        if key := request.headers.get("idempotency-key"):
            self.keys.add(key)

    async def _watch_async(self, request: httpx.Request) -> None:
        self._watch(request)

    def call(self) -> Any:
        *resource, method = self.case["call"].split(".")
        target = getattr(self.client, resource[0]) if resource else self.client
        arguments, given = dict(self.case["params"]), self.case.get("options", {})
        if self.case["call"] == "webhooks.verify":
            return target.verify(arguments["body"], arguments["headers"], arguments["secret"], now=arguments["now"])
        if "file" in arguments:
            file = arguments["file"]
            arguments["file"] = _file(file, self.is_async)
            if file["as"] == "sized_stream":
                arguments["size"] = file["pattern"]
        if "file_name" in given:
            arguments["file_name"] = given["file_name"]
        if "until" in given:
            arguments["until"] = given["until"]
        if "last_event_id" in given:
            arguments["last_event_id"] = given["last_event_id"]
        if given.get("progress"):
            arguments["on_progress"] = lambda news, *_: self.progress.append(news if isinstance(news, int) else news["progress"]["percent"])
        timeout = given.get("timeout")
        if method == "wait" and timeout is not None:
            arguments["timeout"] = timeout / 1000
            timeout = None
        options = CallOptions(timeout_of(timeout), given.get("max_retries"), given.get("idempotency_key"), given.get("headers", {}))
        return getattr(target, method)(**arguments, options=options)

    def sync_result(self) -> Any:
        after = self.case.get("options", {}).get("cancel_after")
        if after:
            # As Ctrl-C does.
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, after / 1000)
        result = self.call()
        if not inspect.isgenerator(result):
            return result
        return _taken(result, self.case.get("options", {}).get("take"))

    async def async_result(self) -> Any:
        result = self.call()
        options = self.case.get("options", {})
        if inspect.isasyncgen(result):
            items = []
            async for item in result:
                items.append(item)
                if len(items) == options.get("take"):
                    break
            await result.aclose()
            return items
        if not inspect.isawaitable(result):
            return result
        task = asyncio.ensure_future(result)
        if "cancel_after" in options:
            asyncio.get_running_loop().call_later(options["cancel_after"] / 1000, task.cancel)
        return await task


def _taken(items: Any, take: int | None) -> list[Any]:
    collected = []
    for item in items:
        collected.append(item)
        if len(collected) == take:
            break
    items.close()
    return collected


def _file(file: dict[str, Any], is_async: bool) -> Any:
    content = pattern(0, file["pattern"])
    if file["as"] == "bytes":
        return content
    if file["as"] == "path":
        path = Path(tempfile.mkdtemp()) / file.get("name", "file")
        path.write_bytes(content)
        return path
    chunks = [content[at : at + CHUNK] for at in range(0, len(content), CHUNK)]
    return _async_chunks(chunks) if is_async else iter(chunks)


async def _async_chunks(chunks: list[bytes]) -> Any:
    for chunk in chunks:
        yield chunk


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_conformance(server: str, case: dict[str, Any], is_async: bool) -> None:
    run = httpx.post(f"{server}/control/runs", json={"case": case["name"]}, timeout=CONTROL_SECONDS).json()
    runner = Runner(case, run["base_url"], is_async)
    result, error = None, None
    try:
        result = asyncio.run(runner.async_result()) if is_async else runner.sync_result()
    except BaseException as raised:
        error = raised
    assert httpx.get(f"{server}/control/runs/{run['run']}", timeout=CONTROL_SECONDS).json() == {"faults": []}
    if error is not None:
        shown = f"{error!r} {vars(error)} {''.join(traceback.format_exception(error))}"
        assert API_KEY not in shown
    if expected := case.get("error"):
        assert error is not None
        values = described(error, runner.keys)
        assert expected.get("message_contains", "") in values["message"]
        assert_contains(values, {name: value for name, value in expected.items() if name != "message_contains"})
    elif error is not None:
        raise error
    if "result" in case:
        assert_contains(result, case["result"])
    if "progress" in case:
        assert runner.progress == case["progress"]
    assert API_KEY not in repr(runner.client)
