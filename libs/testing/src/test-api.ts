import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { serverSentEvents, type ServerSentEvent } from './server-sent-events.js';
import { TIME_FACTOR } from './time-factor.js';

/** A job's answer as the tests look into it. */
export interface JobAnswer {
  job_id: string;
  status: string;
  progress: { percent: number; stage: string };
  error?: { code: string; message: string; retryable: boolean };
  warnings: { code: string; message: string }[];
  model: string;
  language: { requested?: string; expected?: string[]; fallback?: string; detected?: string; confidence?: number; transcript?: string };
  stages: Record<string, { status: string; attempts: number; engine?: string; error?: { code: string } }>;
  transcript?: { text: string; language: string; formatting?: string; duration: number; speakers: SpeakerAnswer[]; segments: SegmentAnswer[] };
  [field: string]: unknown;
}

interface SegmentAnswer {
  segment_id: string;
  start: number;
  end: number;
  speaker_id?: string;
  channel?: number;
  text: string;
  confidence?: number;
  language?: string;
  words?: { start: number; end: number; text: string; confidence?: number; speaker_id?: string; channel?: number; redacted?: string; redacted_by?: string; raw?: string }[];
}

interface SpeakerAnswer {
  speaker_id: string;
  name: string;
  talk_time: number;
}

/** A problem document of RFC 9457, as the API returns it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  retryable: boolean;
  errors?: { pointer: string; code: string; detail: string }[];
}

interface DeliveryAnswer {
  delivery_id: string;
  event_id: string;
  event_type: string;
  url: string;
  status: string;
  next_attempt_at?: string;
  attempts: { attempted_at: string; status_code?: number; error?: string; latency_ms: number; response_body: string }[];
}

interface ErasureAnswer {
  erasure_id: string;
  status: string;
  items: { what: string; where: string; when: string; count: number }[];
  /** Once it is completed. */
  jws?: string;
}

const TERMINAL = new Set(['completed', 'failed', 'canceled']);

/** The public API over HTTP, as terse as tests want it. */
export class TestApi {
  readonly urls: readonly string[];
  private turn = 0;

  /** @param urls of one server, or of several that are called in turns, as behind a load balancer */
  constructor(
    urls: string | readonly string[],
    readonly apiKey: string,
  ) {
    this.urls = typeof urls === 'string' ? [urls] : urls;
  }

  /** Of the server whose turn it is. */
  get url(): string {
    return this.urls[this.turn++ % this.urls.length] ?? '';
  }

  /** The same server, called with another key. */
  as(apiKey: string): TestApi {
    return new TestApi(this.urls, apiKey);
  }

  request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.apiKey}`, ...init.headers };
    return fetch(`${this.url}/api/v1${path}`, { ...init, method, headers });
  }

  /** Any answer with JSON. */
  async json<T>(path: string): Promise<T> {
    return this.bodyOf<T>(await this.request('GET', path), `GET ${path}`);
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.request('POST', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  }

  /** @returns the job's id. @throws Error with the answer when it was not accepted */
  async submit(body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<string> {
    return jobIdOf(await this.post('/transcriptions', body, headers));
  }

  /** Uploads a file with further fields. @returns the job's id */
  async upload(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<string> {
    return jobIdOf(await this.tryUpload(path, fields, headers));
  }

  async tryUpload(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Response> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', await openAsBlob(path), basename(path));
    return this.request('POST', '/transcriptions', { body: form, headers });
  }

  job(jobId: string, query = ''): Promise<JobAnswer> {
    return this.json<JobAnswer>(`/transcriptions/${jobId}${query}`);
  }

  /** Waits by long poll until the job is terminal: recognizers run below normal priority, so a busy machine takes minutes. @throws Error after `limitMs` */
  async terminal(jobId: string, limitMs = 180_000): Promise<JobAnswer> {
    const end = Date.now() + limitMs * TIME_FACTOR;
    for (;;) {
      const job = await this.job(jobId, '?wait=5');
      if (TERMINAL.has(job.status)) return job;
      if (Date.now() > end) throw new Error(`the job is still ${job.status}: ${JSON.stringify(job.stages)}`);
    }
  }

  cancel(jobId: string): Promise<Response> {
    return this.request('POST', `/transcriptions/${jobId}/cancel`);
  }

  retry(jobId: string): Promise<Response> {
    return this.request('POST', `/transcriptions/${jobId}/retry`);
  }

  /** @returns the erasure's id */
  async delete(jobId: string): Promise<string> {
    const answer = await this.bodyOf<{ erasure_id: string }>(await this.request('DELETE', `/transcriptions/${jobId}`), 'DELETE job');
    return answer.erasure_id;
  }

  erasure(erasureId: string): Promise<ErasureAnswer> {
    return this.json<ErasureAnswer>(`/erasures/${erasureId}`);
  }

  async deliveries(jobId: string): Promise<DeliveryAnswer[]> {
    const answer = await this.json<{ data: DeliveryAnswer[] }>(`/transcriptions/${jobId}/deliveries?limit=100`);
    return answer.data;
  }

  /** The job's events, from the one after `lastEventId`. Leaving the loop closes the connection. */
  async *events(jobId: string, lastEventId?: string): AsyncGenerator<ServerSentEvent> {
    const headers = { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const response = await this.request('GET', `/transcriptions/${jobId}/events`, { headers });
    if (!response.ok) throw new Error(`GET events: ${response.status} ${await response.text()}`);
    yield* serverSentEvents(response);
  }

  async transcript(jobId: string, format: 'txt' | 'srt' | 'vtt' | 'json', options = ''): Promise<string> {
    const response = await this.request('GET', `/transcriptions/${jobId}/transcript?format=${format}${options}`);
    if (!response.ok) throw new Error(`GET transcript: ${response.status} ${await response.text()}`);
    return response.text();
  }

  private async bodyOf<T>(response: Response, what: string): Promise<T> {
    if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
}

async function jobIdOf(response: Response): Promise<string> {
  const body = (await response.json()) as { job_id?: string };
  if (response.status !== 202 || body.job_id === undefined) throw new Error(`not accepted: ${response.status} ${JSON.stringify(body)}`);
  return body.job_id;
}
