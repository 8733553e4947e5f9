"""Keyword arguments that are written by hand have the parameters of the API description."""

from __future__ import annotations

from typing import Any, get_args

from parlance import parameters, types


def test_a_search_has_all_filters_but_its_words() -> None:
    assert {"q", *parameters.SearchOptions.__annotations__} == set(types.SearchTranscriptsParametersQuery.__annotations__)


def test_a_question_has_all_fields_but_its_message() -> None:
    assert {"message", *parameters.QuestionOptions.__annotations__} == set(types.QuestionAcross.__annotations__)


def test_usage_has_all_parameters() -> None:
    assert {"from", "to", "group_by"} == set(types.GetUsageParametersQuery.__annotations__)


def test_every_format_is_text_or_binary() -> None:
    formats: Any = [parameters.TextFormat, parameters.BinaryFormat]
    assert sorted(each for kind in formats for each in get_args(kind)) == sorted(get_args(types.ExportFormat))
