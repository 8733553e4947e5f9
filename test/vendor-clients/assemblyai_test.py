"""AssemblyAI's client for Python, unchanged but for its base URL. Run by `.ci/parts/vendor-python`."""

import os

import assemblyai as aai
import pytest

RECORDING = os.environ["RECORDING"]

aai.settings.base_url = f"{os.environ['PARLANCE_URL']}/compat/assemblyai"
aai.settings.api_key = os.environ["PARLANCE_API_KEY"]
aai.settings.polling_interval = 0.1


@pytest.fixture(scope="module")
def transcript():
    config = aai.TranscriptionConfig(speaker_labels=True, word_boost=["Parlance"])
    done = aai.Transcriber().transcribe(RECORDING, config)
    assert done.status == aai.TranscriptStatus.completed, done.error
    return done


def test_uploads_and_transcribes(transcript):
    assert len(transcript.text.split()) > 5
    assert transcript.audio_duration > 1
    assert 0 < transcript.confidence <= 1
    assert transcript.words[0].start < transcript.words[-1].end


def test_gives_utterances_with_speakers(transcript):
    assert transcript.utterances[0].speaker == "A"
    assert " ".join(utterance.text for utterance in transcript.utterances) == transcript.text


def test_gives_sentences_and_paragraphs(transcript):
    sentences = transcript.get_sentences()
    assert " ".join(sentence.text for sentence in sentences) == transcript.text
    paragraphs = transcript.get_paragraphs()
    assert [word for paragraph in paragraphs for word in paragraph.words] == [word for sentence in sentences for word in sentence.words]


def test_gives_captions(transcript):
    assert transcript.export_subtitles_srt().startswith("1\n00:00:")
    assert transcript.export_subtitles_vtt(chars_per_caption=32).startswith("WEBVTT")


def test_finds_words(transcript):
    word = transcript.words[0].text
    (match,) = transcript.word_search([word, "notsaid"])
    assert match.text == word
    assert match.indexes[0] == 0
    assert match.count == len(match.timestamps)


def test_gives_what_add_ons_found():
    config = aai.TranscriptionConfig(auto_chapters=True, entity_detection=True)
    done = aai.Transcriber().transcribe(RECORDING, config)
    assert done.status == aai.TranscriptStatus.completed, done.error
    assert done.chapters is not None
    assert done.entities is not None
    assert done.utterances is None


def test_lists_and_deletes():
    transcriber = aai.Transcriber()
    queued = transcriber.submit(RECORDING)
    queued.wait_for_completion()
    page = transcriber.list_transcripts(aai.ListTranscriptParameters(limit=1))
    assert page.transcripts[0].id == queued.id
    older = transcriber.list_transcripts(aai.ListTranscriptParameters(limit=1, before_id=page.page_details.before_id_of_prev_url))
    assert older.transcripts[0].id != queued.id
    assert aai.Transcript.delete_by_id(queued.id).text == "Deleted by user."
    with pytest.raises(aai.types.TranscriptError):
        aai.Transcript.get_by_id(queued.id)


def test_says_what_is_wrong(tmp_path):
    with pytest.raises(aai.types.TranscriptError, match="sentiment_analysis: This server does not support"):
        aai.Transcriber().submit(RECORDING, aai.TranscriptionConfig(sentiment_analysis=True))
    noise = tmp_path / "noise.wav"
    noise.write_text("this is no recording")
    failed = aai.Transcriber().transcribe(str(noise))
    assert failed.status == aai.TranscriptStatus.error
    assert failed.error
    client = aai.Client(settings=aai.Settings(base_url=aai.settings.base_url, api_key="wrong"))
    with pytest.raises(aai.types.TranscriptError, match="API key is not valid"):
        aai.Transcriber(client=client).submit(RECORDING)
