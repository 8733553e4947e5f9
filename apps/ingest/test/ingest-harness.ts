import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { common, type EventData, type EventType, ingest, type JobService, type NewEvent } from '@parlance/contracts';
import { openMediaStore, type MediaStore } from '@parlance/storage';
import { content, eventually, MediaServer, SAMPLES } from '@parlance/testing';
import { ServiceHarness } from '@parlance/testing/service-harness';
import { manifest } from '../src/service.js';

export const ACCOUNT = 'acc_1';

/** Short chunks, so that a sample has several; loopback may be fetched from. */
const SETTINGS = { EGRESS_ALLOW: '127.0.0.0/8', CHUNK_IDEAL_SECONDS: '5', CHUNK_MAX_SECONDS: '10' };

type Chunk = Pick<EventData<'chunk.transcribed'>, 'jobId' | 'accountId' | 'run' | 'index' | 'total' | 'planKey'>;

/** The ingest service on its own; the test plays the gateway and every stage behind it. */
export class IngestHarness implements AsyncDisposable {
  private readonly client: JobService;

  private constructor(
    readonly service: ServiceHarness,
    readonly mediaServer: MediaServer,
    readonly media: MediaStore,
  ) {
    this.client = service.process.connect('ingest', ingest.JobServiceDefinition);
  }

  static async start(env: Record<string, string> = {}): Promise<IngestHarness> {
    const mediaServer = await MediaServer.start();
    mediaServer.at('/talk.mp3', content(await readFile(SAMPLES.meeting.path)));
    mediaServer.at('/short.flac', content(await readFile(SAMPLES.reading.path)));
    const service = await ServiceHarness.start(manifest, { ...SETTINGS, ...env });
    return new IngestHarness(service, mediaServer, await openMediaStore(`file:${join(service.dataFolder, 'media')}`));
  }

  async create(jobId: string, request: ingest.CreateJobRequest['source'] | string = '/talk.mp3', options: Partial<common.JobOptions> = {}): Promise<ingest.Job> {
    const source = typeof request === 'string' ? { $case: 'audioUrl' as const, value: this.mediaServer.url(request) } : request;
    return this.createRaw({ jobId, accountId: ACCOUNT, keyId: 'key_1', source, options: common.JobOptions.fromPartial({ highlights: true, ...options }) });
  }

  async createRaw(request: ingest.CreateJobRequest): Promise<ingest.Job> {
    return jobIn(await this.client.createJob(request));
  }

  async createAll(orders: ingest.JobOrder[]): Promise<ingest.JobOutcome[]> {
    return (await this.client.createJobs({ orders })).outcomes;
  }

  requireRoom(limits?: ingest.JobLimits): Promise<ingest.RequireRoomResponse> {
    return this.client.requireRoom({ accountId: ACCOUNT, limits });
  }

  async get(jobId: string, accountId = ACCOUNT): Promise<ingest.Job> {
    return jobIn(await this.client.getJob({ jobId, accountId }));
  }

  async finishLive(request: Partial<ingest.FinishLiveRequest> & { jobId: string }): Promise<ingest.Job> {
    return jobIn(await this.client.finishLive({ accountId: ACCOUNT, pieces: [], gaps: [], finalsKey: '', ...request }));
  }

  async cancel(jobId: string): Promise<ingest.Job> {
    return jobIn(await this.client.cancelJob({ jobId, accountId: ACCOUNT }));
  }

  async retry(jobId: string, force = false): Promise<ingest.Job> {
    return jobIn(await this.client.retryJob({ jobId, accountId: ACCOUNT, force }));
  }

  async delete(jobId: string): Promise<string> {
    return (await this.client.deleteJob({ jobId, accountId: ACCOUNT })).erasureId;
  }

  async erasure(erasureId: string, accountId = ACCOUNT): Promise<ingest.Erasure | undefined> {
    return (await this.client.getErasure({ erasureId, accountId })).erasure;
  }

  erasures(): Promise<ingest.ListErasuresResponse> {
    return this.client.listErasures({ accountId: ACCOUNT, limit: 100 });
  }

  list(request: Partial<ingest.ListJobsRequest> = {}): Promise<ingest.ListJobsResponse> {
    const everything = { accountId: ACCOUNT, limit: 20, status: common.JobStatus.JOB_STATUS_UNSPECIFIED, metadata: {} };
    return this.client.listJobs(ingest.ListJobsRequest.fromPartial({ ...everything, ...request }));
  }

  heard<K extends EventType>(type: K, jobId: string): EventData<K>[] {
    return this.service.heard.flatMap((event) => {
      const data = event.data as EventData<K> & { jobId: string };
      return event.type === type && data.jobId === jobId ? [data] : [];
    });
  }

  /** The types of a job's public events, in order, without progress. */
  announced(jobId: string): string[] {
    const types = this.service.heard.filter((event) => event.key === jobId).map(({ type }) => type);
    return types.filter((type) => type.startsWith('job.') && type !== 'job.progressed');
  }

  untilHeard<K extends EventType>(type: K, jobId: string, count = 1): Promise<EventData<K>[]> {
    return eventually(`${count} ${type} of ${jobId}`, () => {
      const heard = this.heard(type, jobId);
      return heard.length >= count && heard;
    });
  }

  async until(jobId: string, status: common.JobStatus): Promise<ingest.Job> {
    return eventually(`${jobId} to be ${status}`, async () => {
      const job = await this.get(jobId);
      return job.status === status && job;
    });
  }

  /** Transcription's answer to `media.ready`: every chunk of the run, then the transcript. @returns the chunks */
  async transcribe(jobId: string, run = 1): Promise<Chunk[]> {
    const done = await this.transcribeChunks(jobId, run);
    await this.publish({ type: 'transcript.completed', data: transcriptOf(jobId, run) });
    return done;
  }

  async transcribeChunks(jobId: string, run = 1): Promise<Chunk[]> {
    const chunks = await this.chunksOf(jobId, run);
    await this.publish(...chunks.map((chunk) => ({ type: 'chunk.transcribed' as const, data: resultOf(chunk) })));
    await eventually('the last chunk', async () => (await this.get(jobId)).chunksDone === chunks.length);
    return chunks;
  }

  /** The chunks that `media.ready` asks transcription to perform. */
  async chunksOf(jobId: string, run = 1): Promise<Chunk[]> {
    const ready = await eventually(`media.ready of run ${run} of ${jobId}`, () => this.heard('media.ready', jobId).find((event) => event.run === run));
    const { accountId, planKey, chunksTotal: total } = ready;
    return Array.from({ length: total }, (_, index) => ({ jobId, accountId, run, index, total, planKey }));
  }

  finishStage(jobId: string, stage: common.Stage, changes: Partial<EventData<'stage.finished'>> = {}) {
    const status = common.StageStatus.STAGE_STATUS_COMPLETED;
    return this.publish({ type: 'stage.finished', data: { jobId, accountId: ACCOUNT, run: 1, stage, status, warnings: [], ...changes } });
  }

  publish(...events: NewEvent[]) {
    return this.service.publish(...events);
  }

  async storedKeys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.media.list(prefix)) keys.push(key);
    return keys;
  }

  async storedText(key: string): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await this.media.get(key)) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.mediaServer.close();
  }
}

export function resultOf({ jobId, accountId, run, index, total, planKey }: Chunk): EventData<'chunk.transcribed'> {
  return { jobId, accountId, run, index, total, planKey, processingSeconds: 1, audioSeconds: 5, warnings: [] };
}

const transcriptOf = (jobId: string, run: number): EventData<'transcript.completed'> => ({
  jobId,
  accountId: ACCOUNT,
  run,
  language: 'en',
  detectedLanguage: 'en',
  duration: 41,
  segmentCount: 3,
  wordCount: 30,
  engine: 'fixture',
  warnings: [],
  version: 1,
});

function jobIn({ job }: { job?: ingest.Job | undefined }): ingest.Job {
  if (!job) throw new Error('the answer has no job');
  return job;
}
