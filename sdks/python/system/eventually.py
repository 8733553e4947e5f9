"""Waits for what a service learns from another one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")


def eventually(what: str, condition: Callable[[], Value], seconds: float = 60) -> Value:
    """Polls until the condition is true, and gives its value."""
    ends_at = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < ends_at, f"waited in vain for {what}"
        time.sleep(0.1)
    return value
