"""OpenAI's client for Python, unchanged but for its base URL. Run by `.ci/parts/vendor-python`."""

import asyncio
import os
from pathlib import Path

import pytest
from openai import AsyncOpenAI, AuthenticationError, BadRequestError, NotFoundError, OpenAI

URL = os.environ["PARLANCE_URL"]
KEY = os.environ["PARLANCE_API_KEY"]
RECORDING = Path(os.environ["RECORDING"])

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)


def transcribe(**options):
    return client.audio.transcriptions.create(file=RECORDING, model="whisper-1", **options)


def test_gives_the_text():
    answer = transcribe()
    assert len(answer.text.split()) > 5
    assert answer.usage.type == "duration"


def test_gives_segments_and_words():
    answer = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
    assert answer.language == "english"
    assert answer.duration > 1
    assert [word.word for word in answer.words]
    assert "".join(segment.text for segment in answer.segments).strip() == answer.text


@pytest.mark.parametrize(("form", "start"), [("text", ""), ("srt", "1\n00:00:"), ("vtt", "WEBVTT")])
def test_gives_text_and_captions_as_they_are(form, start):
    assert transcribe(response_format=form).startswith(start)


def test_streams_the_text():
    events = list(transcribe(stream=True, response_format="json"))
    assert events[-1].type == "transcript.text.done"
    assert events[-1].text == transcribe().text


def test_gives_the_text_without_blocking():
    async def text():
        async with AsyncOpenAI(base_url=f"{URL}/compat/openai/v1", api_key=KEY) as other:
            answer = await other.audio.transcriptions.create(file=RECORDING, model="gpt-4o-transcribe")
        return answer.text

    assert asyncio.run(text()) == transcribe().text


def test_lists_the_models():
    assert "whisper-1" in [model.id for model in client.models.list()]
    assert client.models.retrieve("whisper-1").object == "model"


def test_says_what_is_wrong():
    with pytest.raises(NotFoundError) as unknown:
        client.audio.transcriptions.create(file=RECORDING, model="nobody-has-it")
    assert unknown.value.code == "model_not_found"
    with pytest.raises(BadRequestError) as empty:
        client.audio.transcriptions.create(file=("empty.wav", b""), model="whisper-1")
    assert empty.value.param == "file"
    with pytest.raises(BadRequestError) as translated:
        client.audio.translations.create(file=RECORDING, model="whisper-1")
    assert translated.value.param == "model"
    with pytest.raises(AuthenticationError):
        OpenAI(base_url=f"{URL}/v1", api_key="wrong", max_retries=0).models.list()
