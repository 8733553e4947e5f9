"""Runs a plan beside its caller, which takes the items one by one."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

from ..errors import LiveSessionError
from .drivers import AsyncDriver, SyncDriver
from .effects import Plan

#: Messages about the moment are left out while the caller is so many behind.
MAX_BEHIND = 1000
#: A caller that leaves waits so long for the connection to be closed.
CLOSE_SECONDS = 3.0


class _Items:
    def __init__(self) -> None:
        self.waiting: deque[Any] = deque()
        self.has_ended = False
        self.error: BaseException | None = None

    def add(self, item: Any) -> None:
        if len(self.waiting) < MAX_BEHIND or "seq" in item:
            self.waiting.append(item)

    def take(self) -> Any:
        return self.waiting.popleft() if self.waiting else self.raise_error()

    def end(self, error: BaseException | None) -> None:
        self.has_ended, self.error = True, error

    def raise_error(self) -> None:
        if self.error:
            raise self.error

    def raise_if_ended(self) -> None:
        self.raise_error()
        if self.has_ended:
            raise LiveSessionError("live_ended", "The session has ended. Its job has everything that was acknowledged.")


class SyncBackground:
    """Runs a plan in a thread."""

    def __init__(self, driver: SyncDriver, plan: Plan[None]) -> None:
        self._items = _Items()
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(driver, plan), name="parlance-live", daemon=True)
        self._thread.start()

    def wait(self, holds: Callable[[], bool]) -> None:
        """Waits until the condition holds or the plan has ended, whose error is raised."""
        with self._changed:
            self._changed.wait_for(lambda: self._items.has_ended or holds())
        self._items.raise_error()

    def wait_for_end(self) -> None:
        """Waits until the plan has ended, whose error is raised."""
        self.wait(lambda: False)

    def raise_if_ended(self) -> None:
        """Raises the error of the plan, or LiveSessionError when it has ended without one."""
        self._items.raise_if_ended()

    def next(self) -> Any:
        """The next item, or None at the end. Raises the error of the plan."""
        with self._changed:
            self._changed.wait_for(lambda: self._items.has_ended or bool(self._items.waiting))
            return self._items.take()

    def beside(self, work: Callable[[], None]) -> None:
        """Runs work in a further thread. Its error ends the items."""
        threading.Thread(target=self._work, args=(work,), name="parlance-live-audio", daemon=True).start()

    def close(self) -> None:
        """Waits a moment for a plan that was told to end."""
        self._thread.join(CLOSE_SECONDS)

    def _work(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._end(error)

    def _run(self, driver: SyncDriver, plan: Plan[None]) -> None:
        error: BaseException | None = None
        try:
            for item in driver.iterate(plan):
                with self._changed:
                    self._items.add(item)
                    self._changed.notify_all()
        except BaseException as raised:
            error = raised
        self._end(error)

    def _end(self, error: BaseException | None) -> None:
        with self._changed:
            if not self._items.has_ended:
                self._items.end(error)
            self._changed.notify_all()


class AsyncBackground:
    """Runs a plan in a task."""

    def __init__(self, driver: AsyncDriver, plan: Plan[None]) -> None:
        self._items = _Items()
        self._changed = asyncio.Event()
        self._tasks = {asyncio.create_task(self._run(driver, plan))}

    async def wait(self, holds: Callable[[], bool]) -> None:
        """Waits until the condition holds or the plan has ended, whose error is raised."""
        while not self._items.has_ended and not holds():
            self._changed.clear()
            await self._changed.wait()
        self._items.raise_error()

    async def wait_for_end(self) -> None:
        """Waits until the plan has ended, whose error is raised."""
        await self.wait(lambda: False)

    def raise_if_ended(self) -> None:
        """Raises the error of the plan, or LiveSessionError when it has ended without one."""
        self._items.raise_if_ended()

    async def next(self) -> Any:
        """The next item, or None at the end. Raises the error of the plan."""
        while not self._items.has_ended and not self._items.waiting:
            self._changed.clear()
            await self._changed.wait()
        return self._items.take()

    def beside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs work in a further task. Its error ends the items."""
        self._tasks.add(asyncio.create_task(self._work(work)))

    async def close(self) -> None:
        """Ends what still runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _work(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await work()
        except Exception as error:
            self._end(error)

    async def _run(self, driver: AsyncDriver, plan: Plan[None]) -> None:
        error: BaseException | None = None
        try:
            async for item in driver.iterate(plan):
                self._items.add(item)
                self._changed.set()
        except Exception as raised:
            error = raised
        finally:
            self._end(error)

    def _end(self, error: BaseException | None) -> None:
        if not self._items.has_ended:
            self._items.end(error)
        self._changed.set()
