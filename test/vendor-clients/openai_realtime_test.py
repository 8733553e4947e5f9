"""The realtime client of OpenAI for Python, unchanged but for its base URL. Run by `.ci/parts/vendor-python`."""

import base64
import os
import subprocess

import pytest
from openai import OpenAI
from websockets.exceptions import InvalidStatus

URL = os.environ["PARLANCE_URL"]
KEY = os.environ["PARLANCE_API_KEY"]
COMPLETED = "conversation.item.input_audio_transcription.completed"

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)


def recording():
    command = ["ffmpeg", "-nostdin", "-loglevel", "error", "-i", os.environ["RECORDING"], "-ac", "1", "-ar", "24000", "-f", "s16le", "-"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def send(connection, audio):
    for at in range(0, len(audio), 48_000):
        connection.input_audio_buffer.append(audio=base64.b64encode(audio[at : at + 48_000]).decode())


def connect(**options):
    return client.realtime.connect(extra_query={"intent": "transcription"}, **options)


def test_transcribes_what_is_committed():
    with connect() as connection:
        connection.session.update(
            session={
                "type": "transcription",
                "audio": {"input": {"transcription": {"model": "gpt-4o-transcribe", "language": "en"}, "turn_detection": None}},
            }
        )
        send(connection, recording())
        connection.input_audio_buffer.commit()
        types, deltas, transcript = [], "", None
        for event in connection:
            types.append(event.type)
            assert event.type != "error", event
            if event.type.endswith("input_audio_transcription.delta"):
                deltas += event.delta
            if event.type == COMPLETED:
                transcript = event.transcript
                break
    assert types[:2] == ["session.created", "session.updated"]
    assert "input_audio_buffer.committed" in types
    assert len(transcript.split()) > 5
    assert deltas == transcript


def test_says_what_is_wrong():
    with connect() as connection:
        connection.input_audio_buffer.commit()
        errors = [event for event in (connection.recv(), connection.recv()) if event.type == "error"]
    assert errors[0].error.code == "input_audio_buffer_commit_empty"


def test_refuses_a_wrong_key():
    with pytest.raises(InvalidStatus) as refused, OpenAI(base_url=f"{URL}/v1", api_key="wrong").realtime.connect(extra_query={"intent": "transcription"}):
        pass
    assert refused.value.response.status_code == 401
