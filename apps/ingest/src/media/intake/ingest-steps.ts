import { Inject, Injectable } from '@nestjs/common';
import { mediaKeys, type common } from '@parlance/contracts';
import { SecretBox, toAppError } from '@parlance/platform';
import { CONFIG, MEDIA_STORE } from '@parlance/runtime';
import { withinDeadline } from '@parlance/stage';
import type { MediaStore } from '@parlance/storage';
import type { RedactionOptions } from '@parlance/transcript';
import type { IngestConfig } from '../../ingest.config.js';
import { DECODE_QUEUE, FETCH_QUEUE, IngestQueues } from '../../jobs/schedule/ingest-queues.js';
import { audioSeconds } from '../../jobs/state/billing.js';
import type { PlannedMedia } from '../../jobs/state/job-input.js';
import { finalsOf } from '../../jobs/state/job-source.js';
import { JobStore } from '../../jobs/state/job-store.js';
import { isAwaitingAudio, isAwaitingRedaction, type Job } from '../../jobs/state/job.js';
import { SealedUploads } from '../sealed/sealed-uploads.js';
import { EngineLimit } from './engine-limit.js';
import { FreeTime } from './free-time.js';
import { isWanted } from './ingest-attempts.js';
import { IngestProgress } from './ingest-progress.js';
import { MediaIntake } from './media-intake.js';
import { RedactionStep } from './redaction-step.js';

/** The share of fetching in the progress of ingest; the rest is decoding. */
const FETCH_PART = 0.3;

const MINUTE_MS = 60_000;

interface PrepareOptions {
  signal: AbortSignal;
  reserveSeconds: (seconds: number) => Promise<void>;
  onProgress: (part: number, decodedSeconds?: number) => void;
  isTranscribed?: boolean;
}

/** The two steps of ingest. Each continues from what an interrupted attempt left. */
@Injectable()
export class IngestSteps {
  private readonly decodeMs: number;
  private readonly secrets: SecretBox | undefined;

  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(IngestQueues) private readonly queues: IngestQueues,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(MediaIntake) private readonly intake: Pick<MediaIntake, 'fetch' | 'prepare'>,
    @Inject(FreeTime) private readonly freeTime: Pick<FreeTime, 'reserve'>,
    @Inject(EngineLimit) private readonly engineLimit: Pick<EngineLimit, 'requireEngine'>,
    @Inject(RedactionStep) private readonly redaction: Pick<RedactionStep, 'perform'>,
    @Inject(SealedUploads) private readonly sealedUploads: Pick<SealedUploads, 'open'>,
    @Inject(CONFIG) config: Pick<IngestConfig, 'DECODE_TIMEOUT_MINUTES' | 'SECRETS_KEY'>,
  ) {
    this.secrets = SecretBox.of(config);
    this.decodeMs = config.DECODE_TIMEOUT_MINUTES * MINUTE_MS;
  }

  async fetch(job: Job, signal: AbortSignal): Promise<void> {
    const { id: jobId, accountId, run, source, limits } = job;
    if (source.kind === 'url' && (await this.mustFetch(job))) {
      if (!(await this.begin(job))) return;
      await this.reporting(job, [0, FETCH_PART], (onProgress) => this.intake.fetch({ accountId, jobId, signal, limits, url: source.url, sealedHeaders: source.sealedHeaders, onProgress }));
      await this.jobs.apply(jobId, { type: 'source_fetched', run });
    }
    await this.queues.add(DECODE_QUEUE, { jobId, accountId, run }, job.options);
  }

  async prepare(job: Job, signal: AbortSignal): Promise<void> {
    const { id: jobId, accountId, run } = job;
    if (isAwaitingAudio(job)) return this.decodeAgain(job, signal);
    if (isAwaitingRedaction(job)) return this.redaction.perform(job, signal);
    const earlier = await this.planOfEarlierRun(job);
    if (!earlier && (await this.mustFetch(job))) return this.queues.add(FETCH_QUEUE, { jobId, accountId, run }, job.options);
    if (!(await this.begin(job))) return;
    if (!earlier) return this.decode(job, signal);
    if (finalsOf(job.source) === undefined) await this.engineLimit.requireEngine(job.options.model);
    await this.reserve(job, audioSeconds(earlier.media));
    await this.jobs.apply(jobId, { type: 'media_ready', run, ...earlier, warnings: [], samePlan: true });
  }

  private async decode(job: Job, signal: AbortSignal): Promise<void> {
    const { id: jobId, run } = job;
    // An earlier attempt may have ended between the fetch and this.
    await this.jobs.apply(jobId, { type: 'source_fetched', run });
    const reserveSeconds = (seconds: number) => this.reserve(job, seconds);
    const prepared = await this.reporting(job, [FETCH_PART, 1], (onProgress) => this.prepared(job, { signal, reserveSeconds, onProgress }));
    signal.throwIfAborted();
    // The reservation by the stated length becomes one by the decoded length.
    await reserveSeconds(audioSeconds(prepared.media));
    await this.jobs.apply(jobId, { type: 'media_ready', run, ...prepared });
  }

  /** Makes the plan and audio of a completed job again unless they are still there. Its seconds are billed already. */
  private async decodeAgain(job: Job, signal: AbortSignal): Promise<void> {
    const isThere = (await this.planOfEarlierRun(job)) !== undefined;
    if (!isThere) await this.prepared(job, { signal, reserveSeconds: async () => {}, onProgress: () => {}, isTranscribed: true });
    signal.throwIfAborted();
    await this.jobs.apply(job.id, { type: 'audio_ready', run: job.run });
  }

  /** A live session is kept, and billed, even if the account's time was used up while it lasted: its words were sent already. The gateway ends such sessions. */
  private async reserve({ id: jobId, accountId, run, keyId, source }: Job, seconds: number): Promise<void> {
    try {
      await this.freeTime.reserve({ accountId, jobId, run, keyId, seconds });
    } catch (error) {
      if (source.kind !== 'live' || toAppError(error).kind !== 'payment_required') throw error;
    }
  }

  private prepared({ id: jobId, accountId, createdAt, limits, source, options: asked }: Job, { signal, ...callbacks }: PrepareOptions): ReturnType<MediaIntake['prepare']> {
    const tracks = source.kind === 'upload' ? source.tracks : undefined;
    const { language, languageDetection: detection, vocabulary, model, spelling, channels, redaction } = asked;
    const liveFinalsKey = finalsOf(source);
    const options = { language, detection, vocabulary, model, ...spelling, ...(redaction && { redaction: this.redactionOf(redaction, accountId) }), ...(liveFinalsKey !== undefined && { liveFinalsKey }) };
    const live = source.kind === 'live' ? source.audio : undefined;
    // The words of a live session are those of all channels together.
    const ofAudio = liveFinalsKey === undefined ? { channels, tracks } : { isTranscribed: true };
    const openSealed = (bytes: AsyncIterable<Uint8Array>) => this.sealedUploads.open(bytes, createdAt);
    const prepare = (inTime: AbortSignal) => this.intake.prepare({ accountId, jobId, options, live, signal: inTime, limits, openSealed, ...ofAudio, ...callbacks });
    return withinDeadline(prepare, { signal, deadlineMs: this.decodeMs, what: 'Decoding the media', code: 'media_timeout' });
  }

  private redactionOf({ policies, style }: common.Redaction, accountId: string): RedactionOptions {
    return style === 'hash' ? { policies, style, hashKey: this.secrets?.derivedKey(`redaction/${accountId}`) } : { policies, style: style === 'mask' ? 'mask' : 'label' };
  }

  /** A job is queued until its first turn. @returns false when it has ended meanwhile */
  private async begin({ id, run }: Job): Promise<boolean> {
    return isWanted(await this.jobs.apply(id, { type: 'started', run }), run);
  }

  /** Does work that makes up this part of ingest, and stores its progress. */
  private async reporting<T>({ id, run }: Job, [from, to]: [number, number], work: (onProgress: (part: number, decodedSeconds?: number) => void) => Promise<T>): Promise<T> {
    const progress = new IngestProgress((part, decodedSeconds) => this.jobs.apply(id, { type: 'ingest_progressed', run, part, decodedSeconds }));
    try {
      return await work(progress.between(from, to));
    } catch (error) {
      progress.flush();
      throw error;
    } finally {
      await progress.settled();
    }
  }

  /** A retry redoes only what is missing. @returns undefined when the plan or the audio of a chunk is missing: then all chunks are cut again */
  private async planOfEarlierRun({ accountId, id, media, chunks }: Job): Promise<PlannedMedia | undefined> {
    const stored = mediaKeys(accountId, id);
    const keys = media?.sealed ? stored.alwaysSealed : stored;
    if (!media || chunks.total === 0 || !(await this.media.head(keys.plan))) return undefined;
    const kept = new Set<string>();
    for await (const { key } of this.media.list(keys.audioPrefix)) kept.add(key);
    for (let index = 0; index < chunks.total; index += 1) if (!kept.has(keys.audio(index))) return undefined;
    return { media, planKey: keys.plan, audioPrefix: keys.audioPrefix, chunksTotal: chunks.total };
  }

  private async mustFetch({ id, accountId, source }: Job): Promise<boolean> {
    return source.kind === 'url' && !(await this.media.head(mediaKeys(accountId, id).source));
  }
}
