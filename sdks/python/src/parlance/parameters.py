"""Types of keyword arguments that are not those of the API description as they stand."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict

from . import types
from ._core.files import FileInput

BinaryFormat: TypeAlias = Literal["docx", "pdf", "stl"]
TextFormat: TypeAlias = Literal["json", "txt", "vtt", "srt", "ttml", "ass", "md", "chapters.vtt"]


class NewJob(types.NewTranscription, total=False):
    """A job to create, of which a file may be uploaded first."""

    file: FileInput
    #: The name of `file`, by default its own.
    file_name: str


class SearchOptions(TypedDict, total=False):
    """The parameters of a search but for its words."""

    mode: types.SearchMode
    job_id: str
    speaker: str
    language: str
    created_after: str
    created_before: str
    metadata: list[types.Metadatum]
    project_id: str
    limit: int
    cursor: str


class QuestionOptions(TypedDict, total=False):
    """A question but for its message."""

    conversation_id: str
    job_id: str
    speaker: str
    language: str
    created_after: str
    created_before: str
    metadata: dict[str, str]
