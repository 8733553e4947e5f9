import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { common, type EventData, type EventType, transcription, type TranscriptService } from '@parlance/contracts';
import { openMediaStore } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import type { ChunkPlan } from '@parlance/transcript';
import { manifest } from '../src/service.js';
import { audioOf, planOf, recordingOf } from './recording.js';

export const ACCOUNT = 'acc_1';

/** The transcription service on its own; the test plays ingest and the gateway. */
export class TranscriptionHarness implements AsyncDisposable {
  private constructor(readonly service: ServiceHarness) {}

  static async start(env: Record<string, string> = {}): Promise<TranscriptionHarness> {
    return new TranscriptionHarness(await ServiceHarness.start(manifest, { SPEECH_ENGINE_URL: 'fixture:', ...env }));
  }

  /** Stores audio and plan of a recording, as ingest does. */
  async storeMedia(jobId: string, options: { seconds?: number; chunkSeconds?: number; change?: (plan: ChunkPlan) => ChunkPlan } = {}): Promise<ChunkPlan> {
    const { seconds = 20, chunkSeconds = 5, change = (plan) => plan } = options;
    const store = await openMediaStore(`file:${join(this.service.dataFolder, 'media')}`);
    const prefix = `${ACCOUNT}/${jobId}`;
    const plan = change(planOf(jobId, prefix, seconds, chunkSeconds));
    const samples = recordingOf(seconds);
    for (const chunk of plan.chunks) await store.put(chunk.audioKey, one(audioOf(samples, chunk)));
    await store.put(planKeyOf(jobId), one(new TextEncoder().encode(JSON.stringify(plan))));
    return plan;
  }

  mediaReady(plan: ChunkPlan, changes: Partial<EventData<'media.ready'>> = {}) {
    const { jobId } = plan;
    const media: common.Media = { duration: plan.duration, format: 'wav', codec: 'pcm_s16le', sizeBytes: 1, sampleRate: 16000, channels: 1, hasVideo: false, sha256: '' };
    const options = common.JobOptions.fromPartial({ highlights: true });
    const data = { jobId, accountId: ACCOUNT, run: 1, media, planKey: planKeyOf(jobId), audioPrefix: `${ACCOUNT}/${jobId}/audio/`, chunksTotal: plan.chunks.length, options, ...changes };
    return this.service.publish({ type: 'media.ready', data });
  }

  requestChunk(plan: ChunkPlan, index: number, changes: Partial<EventData<'chunk.requested'>> = {}) {
    const { jobId } = plan;
    const data = { jobId, accountId: ACCOUNT, run: 1, index, total: plan.chunks.length, planKey: planKeyOf(jobId), ...changes };
    return this.service.publish({ type: 'chunk.requested', data });
  }

  async requestAll(plan: ChunkPlan, changes: Partial<EventData<'chunk.requested'>> = {}): Promise<void> {
    for (const { index } of plan.chunks) await this.requestChunk(plan, index, changes);
  }

  tell(type: 'job.canceled' | 'job.deleted', jobId: string) {
    const data = { jobId, accountId: ACCOUNT, sequence: 0, status: common.JobStatus.JOB_STATUS_CANCELED, metadata: {}, version: 1, warnings: [], run: 1, erasureId: 'era_1', billed: false };
    return this.service.publish({ type, data: { ...data, stage: common.Stage.STAGE_UNSPECIFIED } });
  }

  heard<K extends EventType>(type: K, jobId: string): EventData<K>[] {
    return this.service.heard.filter((event) => event.type === type).map((event) => event.data as EventData<K> & { jobId: string }).filter((data) => data.jobId === jobId);
  }

  async awaitEvent<K extends EventType>(type: K, jobId: string, count = 1): Promise<EventData<K>> {
    const found = await eventually(`${count} × ${type}`, () => {
      const events = this.heard(type, jobId);
      return events.length >= count && events;
    });
    const last = found.at(-1);
    if (!last) throw new RangeError('count must be at least 1');
    return last;
  }

  /** Resolves when the service has handled everything published so far: a job published last has its transcript. */
  async settled(): Promise<void> {
    const jobId = `job_settle_${this.service.heard.length}`;
    const plan = await this.storeMedia(jobId, { seconds: 1, change: silenced });
    await this.mediaReady(plan);
    await this.requestAll(plan);
    await this.awaitEvent('transcript.completed', jobId);
  }

  get client(): TranscriptService {
    return this.service.process.connect('transcription', transcription.TranscriptServiceDefinition);
  }

  async transcript(jobId: string, accountId = ACCOUNT) {
    const { client } = this;
    const messages: transcription.GetTranscriptResponse[] = [];
    for await (const message of client.getTranscript({ accountId, jobId, includeWords: true })) messages.push(message);
    return { header: messages[0]?.header, segments: messages.flatMap(({ segments }) => segments) };
  }

  async render(jobId: string, format: transcription.TranscriptFormat, accountId = ACCOUNT): Promise<string> {
    const { client } = this;
    const parts: Uint8Array[] = [];
    for await (const { data } of client.renderTranscript({ accountId, jobId, format, sections: [] })) parts.push(data);
    return Buffer.concat(parts).toString('utf8');
  }

  chunkSegments(jobId: string, fromChunk: number, accountId = ACCOUNT) {
    const { client } = this;
    return client.listChunkSegments({ accountId, jobId, fromChunk });
  }

  engine() {
    const { client } = this;
    return client.getEngine({});
  }

  /** Everything the service's own database holds, as text. */
  storedText(): string {
    const database = new DatabaseSync(join(this.service.dataFolder, 'documents', 'transcription.db'), { readOnly: true });
    try {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      return JSON.stringify(tables.map(({ name }) => database.prepare(`SELECT * FROM "${String(name)}"`).all()));
    } finally {
      database.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
  }
}

/** The plan of a recording in which nobody speaks. */
export const silenced = (plan: ChunkPlan): ChunkPlan => ({ ...plan, chunks: plan.chunks.map((chunk) => ({ ...chunk, speech: [] })) });

const planKeyOf = (jobId: string): string => `${ACCOUNT}/${jobId}/plan.json`;

async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
