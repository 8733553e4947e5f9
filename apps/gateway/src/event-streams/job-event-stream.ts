import type { ingest, SummaryService, transcription, transcripts, TranscriptService } from '@parlance/contracts';
import { TimeSlices, toAppError } from '@parlance/platform';
import { segmentJson } from '@parlance/transcript';
import { failureJson, hasTranscript, isOver, progressJson, statusOf } from '../transcriptions/job-json.js';
import { SAFETY_POLL_MS, type JobReader, type JobRef } from '../transcriptions/job-reader.js';
import { isSealed } from '../transcriptions/sealed-jobs.js';
import { present } from '../http/schema.js';
import { hasOpenSummaries } from './open-summaries.js';
import { SegmentIds } from './segment-ids.js';
import { positionText, START, type EventPosition } from './event-position.js';
import type { JobWatcher } from '../transcriptions/job-watcher.js';

const HEARTBEAT_MS = 15_000;

interface EventStreamOptions {
  jobs: Pick<JobReader, 'get'>;
  transcripts: TranscriptService;
  summaries: SummaryService;
  watcher: JobWatcher;
  heartbeatMs?: number;
}

/** A job's events as text of `text/event-stream`, from a position on, until the job is done or the signal aborts. */
export class JobEventStream {
  private told = { status: '', progress: '' };
  private readonly slices = new TimeSlices();
  /** Read once the transcript is there and a segment is to be sent. */
  private segmentIds: SegmentIds | undefined;

  constructor(
    private readonly options: EventStreamOptions,
    private readonly ref: JobRef,
    private position: EventPosition,
  ) {}

  /** @param first the job as it was when the caller was let in. */
  async *events(first: ingest.Job, signal: AbortSignal): AsyncGenerator<string> {
    const watch = this.options.watcher.watch(this.ref.jobId);
    try {
      if (!(await this.wasTold())) this.position = START;
      let job = first;
      let lastWrite = performance.now();
      while (!signal.aborted) {
        for await (const text of this.news(job)) {
          yield text;
          lastWrite = performance.now();
        }
        if (isOver(job) && !(await hasOpenSummaries(this.options.summaries, job))) return yield this.done(job);
        if (performance.now() - lastWrite >= (this.options.heartbeatMs ?? HEARTBEAT_MS)) {
          yield ':\n\n';
          lastWrite = performance.now();
        }
        await watch.next(Math.min(SAFETY_POLL_MS, this.options.heartbeatMs ?? SAFETY_POLL_MS), signal);
        if (!signal.aborted) job = await this.options.jobs.get(this.ref);
      }
    } catch (error) {
      // The job was deleted: nothing more will come, and the next try of the client says so.
      if (toAppError(error).kind !== 'not_found') throw error;
    } finally {
      watch.close();
    }
  }

  private async *news(job: ingest.Job): AsyncGenerator<string> {
    if (job.version > this.position.version) yield* this.state(job);
    yield* this.segments(job);
  }

  /** The position moves on with the last of them, so that a connection that breaks between two loses neither. */
  private *state(job: ingest.Job): Generator<string> {
    const status = statusOf(job);
    const progress = progressJson(job);
    const text = JSON.stringify(progress);
    const news: [name: string, data: object][] = [];
    if (status !== this.told.status) news.push(['status', { job_id: job.jobId, status }]);
    if (text !== this.told.progress) news.push(['progress', progress]);
    for (const ended of job.endedSummaries) if (ended.version > this.position.version) news.push(['summary', endedSummaryJson(job, ended)]);
    const last = news.pop();
    for (const [name, data] of news) yield this.event(name, data);
    this.position = { ...this.position, version: job.version };
    if (last) yield this.event(...last);
    this.told = { status, progress: text };
  }

  /** Yields the segments of the chunks that were completed without a gap since the last call. */
  private async *segments(job: ingest.Job): AsyncGenerator<string> {
    if (job.chunksTotal === 0 || mayBeUncertain(job) || isSealed(job)) return;
    for (;;) {
      const { chunk, segments: told } = this.position;
      const page = await this.page(chunk);
      for (const [index, segment] of page.segments.entries()) {
        if (index < told) continue;
        this.position = { ...this.position, segments: index + 1 };
        yield this.event('transcript.segment', { ...segmentJson(segment), ...(await this.transcriptIds(job, segment)) });
        // A finished job has thousands of segments, and a fast client takes them without leaving the turn.
        await this.slices.next();
      }
      if (page.nextChunk <= chunk) return;
      this.position = { ...this.position, chunk: page.nextChunk, segments: 0 };
    }
  }

  private async transcriptIds(job: ingest.Job, segment: transcripts.Segment): Promise<{ segment_ids?: string[] }> {
    if (!hasTranscript(job)) return {};
    this.segmentIds ??= await SegmentIds.of(this.options.transcripts, this.ref);
    return { segment_ids: this.segmentIds.within(segment) };
  }

  /** True when the job has reached the position: a client with a later position would miss the events up to it. */
  private async wasTold(): Promise<boolean> {
    const { chunk, segments } = this.position;
    if (chunk > 0 && (await this.page(chunk - 1)).nextChunk < chunk) return false;
    return segments === 0 || (await this.page(chunk)).segments.length >= segments;
  }

  private page(fromChunk: number): Promise<transcription.ListChunkSegmentsResponse> {
    const { transcripts } = this.options;
    return transcripts.listChunkSegments({ ...this.ref, fromChunk });
  }

  private done(job: ingest.Job): string {
    this.position = { ...this.position, done: true };
    return this.event('done', present({ job_id: job.jobId, status: statusOf(job), error: job.error && failureJson(job.error) }));
  }

  private event(name: string, data: object): string {
    return `id: ${positionText(this.position)}\nevent: ${name}\ndata: ${JSON.stringify({ event: name, ...data })}\n\n`;
  }
}

const endedSummaryJson = ({ jobId }: ingest.Job, { summaryId, error }: ingest.EndedSummary) =>
  present({ job_id: jobId, summary_id: summaryId, status: error ? 'failed' : 'completed', error: error && failureJson(error) });

/** Its transcription may still fail as language_uncertain, which is not billed: until it is there, nothing of it is given out. */
const mayBeUncertain = (job: ingest.Job): boolean => job.options?.languageDetection !== undefined && job.options.languageDetection.fallback === undefined && !hasTranscript(job);
