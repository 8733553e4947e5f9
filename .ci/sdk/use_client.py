"""Uses the generated Python client and models against the running product. URL, API_KEY, MEDIA."""
import json
import os
import time

import httpx
import models
from parlance_client import AuthenticatedClient
from parlance_client.api.transcriptions import create_transcription, get_transcription, list_transcriptions, stream_events
from parlance_client.api.transcripts import export_transcript
from parlance_client.api.uploads import create_upload
from parlance_client.api.webhooks import list_events
from parlance_client.models import NewMetadata, NewTranscription, TranscriptFormat, TranscriptionUpload
from parlance_client.types import File

url, key = os.environ["URL"], os.environ["API_KEY"]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True, timeout=httpx.Timeout(60))
metadata = NewMetadata.from_dict({"client": "python"})

with open(os.environ["MEDIA"], "rb") as media:
    upload = create_upload.sync(client=client, body=File(payload=media), file_name="reading.flac")
job = create_transcription.sync(client=client, body=NewTranscription(upload_id=upload.upload_id, metadata=metadata))
with open(os.environ["MEDIA"], "rb") as media:
    form = TranscriptionUpload(file=File(payload=media, file_name="reading.flac", mime_type="audio/flac"), highlights=True, metadata=metadata)
    second = create_transcription.sync(client=client, body=form)

ids = {job.job_id, second.job_id}
for job_id in ids:
    deadline = time.monotonic() + 60
    while (state := get_transcription.sync(job_id, client=client, wait=5)).status not in ("completed", "failed"):
        assert time.monotonic() < deadline
    assert state.status == "completed", state

page = list_transcriptions.sync(client=client, metadata=["client:python"])
assert {item.job_id for item in page.data} == ids, page
assert export_transcript.sync(job.job_id, TranscriptFormat.PDF, client=client).payload.read().startswith(b"%PDF-")
assert export_transcript.sync(job.job_id, TranscriptFormat.TXT, client=client).payload.read().strip()


def is_listed():
    events = list_events.sync(client=client, limit=100).data
    return any(event.type_ == "transcription.completed" and event.data.job_id == job.job_id for event in events)


# Another service keeps the events of the account.
deadline = time.monotonic() + 60
while not is_listed():
    assert time.monotonic() < deadline
    time.sleep(0.1)
assert "event: done" in stream_events.sync(job.job_id, client=client)

# The models of datamodel-code-generator take the answers of the product.
api = httpx.Client(base_url=f"{url}/api/v1", headers={"authorization": f"Bearer {key}"})
models.Transcription.model_validate(api.get(f"/transcriptions/{job.job_id}", params={"include": "words"}).json())
models.WebhookEventPage.model_validate(api.get("/events").json())
data = [line.removeprefix("data: ") for line in api.get(f"/transcriptions/{job.job_id}/events").text.splitlines() if line.startswith("data: ")]
for text in data:
    models.JobStreamEvent.model_validate(json.loads(text))
