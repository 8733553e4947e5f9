"""Deepgram's client for Python, unchanged but for its addresses. Run by `.ci/parts/vendor-python`."""

import asyncio
import os
from pathlib import Path

import pytest
from deepgram import AsyncDeepgramClient, DeepgramClient, DeepgramClientEnvironment
from deepgram.core.api_error import ApiError
from deepgram.core.events import EventType

URL = f"{os.environ['PARLANCE_URL']}/compat/deepgram"
SOCKETS = URL.replace("http", "ws", 1)
KEY = os.environ["PARLANCE_API_KEY"]
RECORDING = Path(os.environ["RECORDING"]).read_bytes()
PIECE = 8000

environment = DeepgramClientEnvironment(base=URL, production=SOCKETS, agent=SOCKETS, agent_rest=URL)
client = DeepgramClient(api_key=KEY, environment=environment)


def transcribe(**options):
    return client.listen.v1.media.transcribe_file(request=RECORDING, **options)


def first(answer):
    return answer.results.channels[0].alternatives[0]


def test_gives_the_text_and_words():
    answer = transcribe(model="nova-3", punctuate=True)
    alternative = first(answer)
    assert len(alternative.transcript.split()) > 5
    assert len(alternative.words) == len(alternative.transcript.split())
    assert answer.metadata.duration > 1
    assert answer.metadata.channels == 1


def test_gives_speakers_utterances_and_paragraphs():
    answer = transcribe(model="nova-3", smart_format=True, diarize=True, utterances=True)
    assert first(answer).words[0].speaker == 0
    assert answer.results.utterances[0].speaker == 0
    assert first(answer).paragraphs.paragraphs[0].sentences[0].text


def test_gives_the_text_without_blocking():
    async def text():
        other = AsyncDeepgramClient(api_key=KEY, environment=environment)
        return first(await other.listen.v1.media.transcribe_file(request=RECORDING)).transcript

    assert asyncio.run(text()) == first(transcribe()).transcript


def test_says_what_is_wrong():
    with pytest.raises(ApiError) as unknown:
        transcribe(model="nobody-has-it")
    assert unknown.value.status_code == 400
    with pytest.raises(ApiError) as refused:
        transcribe(redact="pci")
    assert refused.value.status_code == 400
    with pytest.raises(ApiError) as stranger:
        DeepgramClient(api_key="wrong", environment=environment).listen.v1.media.transcribe_file(request=RECORDING)
    assert stranger.value.status_code == 401


def send_all(stream):
    for start in range(0, len(RECORDING), PIECE):
        stream.send_media(RECORDING[start : start + PIECE])


def test_streams_with_interim_results():
    messages = []
    with client.listen.v1.connect(model="nova-3", interim_results="true", vad_events="true") as stream:
        stream.on(EventType.MESSAGE, messages.append)
        send_all(stream)
        stream.send_close_stream()
        stream.start_listening()
    results = [message for message in messages if message.type == "Results"]
    assert any(not message.is_final for message in results)
    finals = [message.channel.alternatives[0].transcript for message in results if message.is_final]
    assert len(" ".join(finals).split()) > 5
    assert messages[-1].type == "Metadata"
    assert messages[-1].duration > 1


def test_ends_an_utterance_by_finalize():
    with client.listen.v1.connect(model="nova-3") as stream:
        stream.send_keep_alive()
        send_all(stream)
        stream.send_finalize()
        finals = []
        while not finals or not finals[-1].from_finalize:
            finals.append(stream.recv())
        stream.send_close_stream()
    assert finals[-1].is_final
