"""Sealed results: vectors of another implementation than the server's, and what the server's library sealed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jwcrypto.common import JWException

from parlance.sealed import new_result_key, open_sealed

FOLDER = Path(__file__).parents[2] / "conformance" / "sealed"
VECTORS = [vector for name in ("jwcrypto", "jose") for vector in json.loads((FOLDER / f"{name}.json").read_text())]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_opens_what_was_sealed_for_the_key(vector: dict[str, Any]) -> None:
    assert open_sealed(vector["jwe"], vector["private_key"]) == vector["result"]


def test_opens_nothing_for_another_key() -> None:
    public, private = new_result_key()
    assert "d" not in public
    with pytest.raises(JWException):
        open_sealed(VECTORS[0]["jwe"], private)
