import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { eventually, SAMPLES, type TestApi } from '@parlance/testing';
import { LiveClient } from '@parlance/testing/live-client';

/** Words that only this account has, by where they stand. */
export const PLANTED = {
  spoken: 'Quillfeather',
  title: 'Zanthoxylum',
  fileName: 'brontolith',
  speaker: 'Ogdenville',
  metadata: 'marzipanel',
  edited: 'Velociped',
  term: 'Flumoxite',
  question: 'Whatchamacallit',
  item: 'custardly',
} as const;

export const PLANTED_WORDS = new RegExp(Object.values(PLANTED).join('|'), 'i');

const SPOKEN_PCM = execFileSync('ffmpeg', ['-v', 'error', '-t', '20', '-i', SAMPLES.meeting.path, '-ac', '1', '-ar', '16000', '-f', 's16le', '-'], { maxBuffer: 2 ** 26 });
const AUDIO = { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 };

type Json = Record<string, string>;

interface PlantedUrls {
  /** An address without a recording. */
  gone: string;
  /** Where webhooks may be sent. */
  receiver: string;
  /** A recording that never arrives. */
  endless: string;
}

/** An account with one of everything, full of planted words. Its methods make more of what an operation uses up. */
export class PlantedAccount {
  private constructor(
    readonly api: TestApi,
    /** By the names of path parameters; of live sessions, `live_id` and `ended_live_id`. */
    readonly ids: Readonly<Record<string, string>>,
    /** A job that failed, and can be retried. */
    readonly failedJob: string,
    readonly urls: PlantedUrls,
  ) {}

  static async plant(api: TestApi, urls: PlantedUrls): Promise<PlantedAccount> {
    const made = new PlantedAccount(api, {}, '', urls);
    const { vocabulary_id: vocabularyId = '' } = await made.vocabulary();
    const options = { title: PLANTED.title, metadata: { note: PLANTED.metadata }, vocabulary: [PLANTED.term], vocabulary_id: vocabularyId, diarization: true, summary: true, highlights: true, chapters: true, entities: true };
    const endpoint = await made.endpoint();
    const uploadId = await made.upload();
    const jobId = await api.submit({ upload_id: uploadId, ...options });
    await api.terminal(jobId);
    await made.settled(jobId);
    const job = `/transcriptions/${jobId}`;
    const { transcript } = await made.json<{ transcript: { segments: Json[] } }>('GET', job);
    const segmentId = transcript.segments[0]?.['segment_id'] ?? '';
    const { data: speakers } = await made.json<{ data: Json[] }>('GET', `${job}/speakers`);
    const speakerId = speakers[0]?.['speaker_id'] ?? '';
    await made.json('PATCH', `${job}/speakers/${speakerId}`, { name: PLANTED.speaker });
    await made.json('PATCH', `${job}/segments/${segmentId}`, { text: `${PLANTED.edited} ${PLANTED.spoken}` });
    const { batch_id: batchId = '' } = await made.json('POST', '/batches', { items: [{ custom_id: PLANTED.item, upload_id: uploadId, title: PLANTED.title }] });
    const conversation = await made.conversation('/chat');
    const live = await made.spokenLive();
    const ended = await made.spokenLive();
    await made.json('DELETE', `/live/${ended}`);
    await api.terminal(ended);
    const erasureId = await api.delete(await api.submit({ upload_id: uploadId, title: PLANTED.title }));
    const failedJob = await api.submit({ audio_url: urls.gone, title: PLANTED.title, metadata: { note: PLANTED.metadata } });
    await api.terminal(failedJob);
    const { data: deliveries } = await eventually('a delivery', async () => made.json<{ data: Json[] }>('GET', '/deliveries').then((page) => page.data.some(({ status }) => status === 'delivered') && page));
    const { redelivery_id: redeliveryId = '' } = await made.json('POST', `/webhook-endpoints/${endpoint}/redeliveries`, { from: new Date(Date.now() - 60_000).toISOString() });
    const ids = {
      job_id: jobId, upload_id: uploadId, batch_id: batchId, conversation_id: conversation, erasure_id: erasureId, segment_id: segmentId, speaker_id: speakerId, vocabulary_id: vocabularyId, endpoint_id: endpoint,
      redelivery_id: redeliveryId, revision: '1', language: 'de', format: 'srt', live_id: live, ended_live_id: ended,
      delivery_id: deliveries.find(({ status }) => status === 'delivered')?.['delivery_id'] ?? '',
      summary_id: await made.summary(jobId),
      link_id: (await made.link(jobId))['link_id'] ?? '',
      project_id: (await made.json('POST', '/projects', { name: 'Apollo' }))['project_id'] ?? '',
      key_id: (await made.json('POST', '/keys', { name: 'planted', scopes: ['keys'] }))['key_id'] ?? '',
    };
    return new PlantedAccount(api, ids, failedJob, urls);
  }

  /** @throws Error with the answer when it is no success */
  async json<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.api.request(method, path, body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  }

  /** Once no stage of the job runs, its transcript can be edited. */
  async settled(jobId = this.ids['job_id'] ?? ''): Promise<void> {
    const stages = async () => Object.values((await this.json<{ stages: Record<string, { status: string }> }>('GET', `/transcriptions/${jobId}`)).stages);
    await eventually('the stages', async () => (await stages()).every(({ status }) => status !== 'pending' && status !== 'running'));
  }

  async upload(): Promise<string> {
    const response = await this.api.request('POST', `/uploads?file_name=${PLANTED.fileName}.mp3`, { body: await readFile(SAMPLES.meeting.path), headers: { 'content-type': 'audio/mpeg' } });
    return ((await response.json()) as Json)['upload_id'] ?? '';
  }

  async job(): Promise<string> {
    return this.api.submit({ upload_id: this.ids['upload_id'], title: PLANTED.title, diarization: false, summary: false, highlights: false });
  }

  vocabulary(): Promise<Json> {
    return this.json('POST', '/vocabularies', { name: 'Products', phrases: [{ phrase: PLANTED.term }] });
  }

  async endpoint(): Promise<string> {
    return (await this.json('POST', '/webhook-endpoints', { url: this.urls.receiver, include: ['transcript'] }))['endpoint_id'] ?? '';
  }

  link(jobId: string): Promise<Json> {
    return this.json('POST', `/transcriptions/${jobId}/links`, { what: 'transcript', format: 'txt' });
  }

  /** @param path of the chat: of one job or of all */
  async conversation(path: string): Promise<string> {
    return (await this.json('POST', path, { message: `${PLANTED.question}: what did ${PLANTED.spoken} say?` }))['conversation_id'] ?? '';
  }

  /** One that is written. */
  async summary(jobId: string): Promise<string> {
    const { summary_id: id = '' } = await this.json('POST', `/transcriptions/${jobId}/summaries`, { format: 'minutes' });
    await this.json('GET', `/transcriptions/${jobId}/summaries/${id}?wait=60`);
    return id;
  }

  /** The URL of an upload by AssemblyAI's API. */
  async assemblyAiUpload(): Promise<string> {
    const response = await fetch(`${this.api.url}/compat/assemblyai/v2/upload`, { method: 'POST', body: await readFile(SAMPLES.reading.path), headers: { authorization: this.api.apiKey } });
    return ((await response.json()) as Json)['upload_url'] ?? '';
  }

  /** Opens a live session. */
  async openLive(): Promise<Json> {
    return this.json('POST', '/live', { language: 'en', audio: AUDIO, diarization: false, summary: false, highlights: false });
  }

  /** A live session in which something was said, and whose client is gone. */
  private async spokenLive(): Promise<string> {
    const { id = '', url = '', token = '' } = await this.openLive();
    const client = await LiveClient.connect(url, token);
    client.send(SPOKEN_PCM);
    await client.next('final');
    client.drop();
    return id;
  }
}
