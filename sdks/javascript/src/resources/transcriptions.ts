import { JobFailedError, TimeoutError, withJob, withKey } from '../errors.js';
import type { FileInput, FileSource } from '../files.js';
import type { CallOptions, ResponseInfo } from '../options.js';
import { Pages } from '../pages.js';
import type { AcceptedTranscription, JobStreamEvent, Query, Schemas, Transcription, TranscriptionSummary } from '../schemas.js';
import { follow, type FollowOptions } from '../sse.js';
import { newIdempotencyKey, path, type Request, type StreamedResponse, type Transport } from '../transport.js';
import type { UploadOptions, Uploads } from './uploads.js';

/** Below the time after which proxies close a silent connection. */
const POLL_SECONDS = 25;
const DEFAULT_WAIT_MS = 6 * 60 * 60 * 1000;

/** The options of a job, with a `file` to upload, an `upload_id`, `files`, or an `audio_url`. */
export type NewTranscription = Schemas['NewTranscription'] & {
  file?: FileInput;
  /** The name of `file`, by default its own. */
  file_name?: string;
};

export interface CreateOptions extends CallOptions {
  /** The size of a stream, as in uploads.create. */
  size?: number;
  onUploadProgress?: UploadOptions['onProgress'];
}

export interface WaitOptions extends Omit<CallOptions, 'timeout'> {
  /** Milliseconds after which a TimeoutError is thrown and the job continues, by default six hours. */
  timeout?: number;
  /** `transcript` ends when the text is there; its summary and other stages may follow. By default `terminal`. */
  until?: 'transcript' | 'terminal';
  /** Called with the job at each change. */
  onProgress?: (job: Transcription) => void;
}

export type TranscribeOptions = CreateOptions & Pick<WaitOptions, 'until' | 'onProgress'> & { waitTimeout?: number };

export type ExportFormat = Schemas['ExportFormat'];
/** Formats that are text; others are bytes. */
type TextFormat = Exclude<ExportFormat, 'docx' | 'pdf' | 'stl'>;

export class Transcriptions {
  constructor(
    private readonly transport: Transport,
    private readonly uploads: Uploads,
  ) {}

  /** Creates a job. A `file` is uploaded first, in pieces. */
  async create(job: NewTranscription, given: CreateOptions = {}): Promise<AcceptedTranscription> {
    const { size, onUploadProgress, ...rest } = given;
    const options = { ...rest, idempotencyKey: rest.idempotencyKey ?? newIdempotencyKey() };
    const { file, file_name: fileName, ...settings } = job;
    if (file === undefined) return this.transport.json({ method: 'POST', path: '/transcriptions', json: settings }, options);
    const upload = await this.uploads.create(file, { ...options, size, fileName, onProgress: onUploadProgress });
    return this.transport.json({ method: 'POST', path: '/transcriptions', json: { ...settings, upload_id: upload.upload_id }, fetch: fetchOf(file) }, options);
  }

  /** Waits until the job has ended. @throws JobFailedError when it failed or was canceled, TimeoutError when the time is over */
  wait(jobId: string, options: WaitOptions = {}): Promise<Transcription> {
    return this.#wait(jobId, options);
  }

  async #wait(jobId: string, options: WaitOptions, fetch?: FileSource['fetch']): Promise<Transcription> {
    try {
      return await this.#waitForEnd(jobId, options, fetch);
    } catch (error) {
      throw withJob(error, jobId);
    }
  }

  async #waitForEnd(jobId: string, given: WaitOptions, fetch?: FileSource['fetch']): Promise<Transcription> {
    const { timeout = DEFAULT_WAIT_MS, until = 'terminal', onProgress, ...options } = given;
    const endsAt = performance.now() + timeout;
    let tag: string | undefined;
    for (;;) {
      const left = endsAt - performance.now();
      if (left <= 0) throw new TimeoutError('wait', timeout, jobId);
      const query = { wait: Math.min(POLL_SECONDS, Math.ceil(left / 1000)), wait_for: onProgress ? ('change' as const) : until };
      const news = await this.#poll({ method: 'GET', path: path`/transcriptions/${jobId}`, query, heldMs: query.wait * 1000, headers: { 'if-none-match': tag }, fetch }, options);
      if (!news) continue;
      const { job } = news;
      // Without an ETag the answer comes at the wanted state or when the time is over.
      tag = onProgress && news.tag;
      onProgress?.(job);
      if (['failed', 'canceled'].includes(job.status)) throw new JobFailedError(job);
      if (job.status === 'completed' || (until === 'transcript' && job.transcript)) return job;
    }
  }

  /** Creates a job, waits for its end, and returns it with its transcript. */
  async transcribe(job: NewTranscription, options: TranscribeOptions = {}): Promise<Transcription> {
    const { until, onProgress, waitTimeout, ...create } = options;
    const idempotencyKey = create.idempotencyKey ?? newIdempotencyKey();
    const { job_id: id } = await this.create(job, { ...create, idempotencyKey });
    const { signal, maxRetries, headers } = create;
    try {
      return await this.#wait(id, { until, onProgress, timeout: waitTimeout, signal, maxRetries, headers }, fetchOf(job.file));
    } catch (error) {
      throw withKey(error, idempotencyKey);
    }
  }

  get(jobId: string, query: Query<'getTranscription'> = {}, options?: CallOptions): Promise<Transcription> {
    return this.transport.json({ method: 'GET', path: path`/transcriptions/${jobId}`, query, heldMs: (query.wait ?? 0) * 1000 }, options);
  }

  list(query: Query<'listTranscriptions'> = {}, options?: CallOptions): Pages<TranscriptionSummary> {
    return new Pages((cursor) => this.transport.json<Schemas['TranscriptionSummaryPage']>({ method: 'GET', path: '/transcriptions', query: { ...query, statuses: query.statuses?.join(',') || undefined, ...(cursor && { cursor }) } }, options));
  }

  update(jobId: string, changes: Schemas['TranscriptionChanges'], options?: CallOptions): Promise<Transcription> {
    return this.transport.json({ method: 'PATCH', path: path`/transcriptions/${jobId}`, json: changes }, options);
  }

  /** Removes the job and everything that was made of it. */
  delete(jobId: string, options?: CallOptions): Promise<Schemas['AcceptedErasure']> {
    return this.transport.json({ method: 'DELETE', path: path`/transcriptions/${jobId}` }, options);
  }

  cancel(jobId: string, options?: CallOptions): Promise<TranscriptionSummary> {
    return this.transport.json({ method: 'POST', path: path`/transcriptions/${jobId}/cancel` }, options);
  }

  retry(jobId: string, options?: CallOptions): Promise<TranscriptionSummary> {
    return this.transport.json({ method: 'POST', path: path`/transcriptions/${jobId}/retry` }, options);
  }

  /** The transcript as text, captions or a document: a string, or bytes where the format is binary. */
  export(jobId: string, format: TextFormat, query?: Query<'exportTranscript'>, options?: CallOptions): Promise<string>;
  export(jobId: string, format: ExportFormat, query?: Query<'exportTranscript'>, options?: CallOptions): Promise<string | Uint8Array<ArrayBuffer>>;
  async export(jobId: string, format: ExportFormat, query: Query<'exportTranscript'> = {}, options?: CallOptions): Promise<string | Uint8Array<ArrayBuffer>> {
    const { bytes } = await this.transport.answer({ method: 'GET', path: path`/transcriptions/${jobId}/export/${format}`, query, headers: { accept: '*/*' } }, options);
    return ['docx', 'pdf', 'stl'].includes(format) ? bytes : new TextDecoder().decode(bytes);
  }

  /** The results of a completed job with a `result_key`, as a JWE: `openSealed` of `@parlance/client/sealed` opens it. */
  async sealed(jobId: string, options?: CallOptions): Promise<string> {
    const { bytes } = await this.transport.answer({ method: 'GET', path: path`/transcriptions/${jobId}/sealed`, headers: { accept: 'application/jose' } }, options);
    return new TextDecoder().decode(bytes);
  }

  /** The recording, as it comes. */
  media(jobId: string, options?: CallOptions): Promise<StreamedResponse> {
    return this.transport.stream({ method: 'GET', path: path`/transcriptions/${jobId}/media`, headers: { accept: '*/*' } }, options);
  }

  /** Status, progress and segments of the job until it has ended. A broken connection is resumed after the last event. */
  async *events(jobId: string, options: FollowOptions = {}): AsyncGenerator<JobStreamEvent & { id?: string }> {
    try {
      yield* follow<JobStreamEvent>(this.transport, { method: 'GET', path: path`/transcriptions/${jobId}/events` }, ({ event }) => event === 'done', options);
    } catch (error) {
      throw withJob(error, jobId);
    }
  }

  /** The job once it changed or reached the wanted state; undefined when nothing happened in the time. */
  async #poll(request: Request, options: CallOptions): Promise<{ job: Transcription; tag: string | undefined } | undefined> {
    let info: ResponseInfo | undefined;
    const onResponse = (each: ResponseInfo) => {
      info = each;
      options.onResponse?.(each);
    };
    const job = await this.transport.json<Transcription | undefined>(request, { ...options, onResponse });
    return job && { job, tag: info?.headers.get('etag') ?? undefined };
  }
}

const fetchOf = (file: FileInput | undefined): FileSource['fetch'] => (file && 'read' in file ? file.fetch : undefined);
