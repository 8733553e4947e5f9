import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { serverMessage, type ServerMessage } from '@parlance/contracts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { z } from 'zod';
import { fileUpload } from './file-upload.js';

const problem = z.object({
  title: z.string().optional(),
  detail: z.string().optional(),
  code: z.string().optional(),
  request_id: z.string().optional(),
});

const created = z.object({ job_id: z.string() });

const liveSession = z.object({ id: z.string(), resume_within_ms: z.number() });
const liveToken = z.object({ token: z.string() });
const liveState = z.object({ acknowledged_offset: z.number() });

const job = z.object({
  job_id: z.string(),
  status: z.enum(['queued', 'processing', 'completed', 'failed', 'canceled']),
  progress: z.object({ percent: z.number(), stage: z.string().optional() }).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

export type Job = z.infer<typeof job>;

/** The server answered with an error. */
export class RefusedRequest extends Error {
  constructor(
    message: string,
    readonly status: number,
    /** The `code` of the problem document. */
    readonly problemCode: string | undefined,
    /** The id of the request in the server's log. */
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** The public API as a caller sees it: HTTP and nothing else. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** True when the server knows the key. */
  async isKnown(): Promise<boolean> {
    try {
      await this.request('GET', '/account');
      return true;
    } catch (error) {
      if (error instanceof RefusedRequest) return error.status !== 401;
      throw error;
    }
  }

  /** Posts an address. @returns the job's id */
  async submitUrl(url: string): Promise<string> {
    const response = await this.request('POST', '/transcriptions', {
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ audio_url: url }),
    });
    return created.parse(await response.json()).job_id;
  }

  /** Uploads a file; under an idempotency key the same file makes one job. */
  async submitFile(path: string, idempotencyKey: string): Promise<string> {
    const { contentType, body } = fileUpload(path, `parlance-${randomUUID()}`);
    const headers = { 'content-type': contentType, 'idempotency-key': idempotencyKey };
    const response = await this.request('POST', '/transcriptions', { headers, body, duplex: 'half' });
    return created.parse(await response.json()).job_id;
  }

  /** Opens a live session of 16-bit samples at 16 kHz, one channel. */
  async openLive(): Promise<z.infer<typeof liveSession>> {
    const body = JSON.stringify({ audio: { encoding: 'pcm_s16le', sample_rate: 16_000, channels: 1 }, partials: true });
    const response = await this.request('POST', '/live', { headers: { 'content-type': 'application/json' }, body });
    return liveSession.parse(await response.json());
  }

  /** A token for one connection of the session. */
  async liveToken(sessionId: string): Promise<string> {
    const response = await this.request('POST', `/live/${sessionId}/tokens`);
    return liveToken.parse(await response.json()).token;
  }

  /** Bytes of the session that are stored. */
  async liveOffset(sessionId: string): Promise<number> {
    const response = await this.request('GET', `/live/${sessionId}`);
    return liveState.parse(await response.json()).acknowledged_offset;
  }

  /** The lasting messages of the session after the sequence, until it has ended or the connection ends. */
  async *liveEvents(sessionId: string, after: number): AsyncGenerator<ServerMessage> {
    for await (const { event, data } of this.stream(`/live/${sessionId}/events`, { 'last-event-id': String(after) })) {
      const { data: message } = serverMessage.safeParse({ ...(JSON.parse(data) as object), type: event });
      if (message) yield message;
    }
  }

  /** The address of the session's connections. */
  liveSocketUrl(sessionId: string): string {
    return `${this.baseUrl.replace(/^http/, 'ws')}/api/v1/live/${sessionId}/socket`;
  }

  async job(jobId: string): Promise<Job> {
    const response = await this.request('GET', `/transcriptions/${jobId}?include=none`);
    return job.parse(await response.json());
  }

  async transcript(jobId: string): Promise<string> {
    const response = await this.request('GET', `/transcriptions/${jobId}/transcript?format=txt`);
    return response.text();
  }

  /** The job's Server-Sent Events until it is done or the connection ends. */
  events(jobId: string): AsyncGenerator<EventSourceMessage> {
    return this.stream(`/transcriptions/${jobId}/events`);
  }

  private async *stream(path: string, headers: Record<string, string> = {}): AsyncGenerator<EventSourceMessage> {
    const response = await this.request('GET', path, { headers: { accept: 'text/event-stream', ...headers } });
    const received: EventSourceMessage[] = [];
    const parser = createParser({ onEvent: (event) => received.push(event) });
    const decoder = new TextDecoder();
    for await (const bytes of response.body ?? []) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      yield* received.splice(0);
    }
  }

  private async request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.apiKey}`, ...init.headers };
    const response = await fetch(`${this.baseUrl}/api/v1${path}`, { ...init, method, headers });
    if (response.ok) return response;
    const { data } = problem.safeParse(await response.json().catch(() => ({})));
    const requestId = data?.request_id ?? response.headers.get('x-request-id') ?? undefined;
    throw new RefusedRequest(data?.detail ?? data?.title ?? `The server answered ${response.status}.`, response.status, data?.code, requestId);
  }
}

/** A key that is the same for the same bytes, so that a second start does not transcribe the samples again. */
export async function contentKey(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return `sample-${hash.digest('hex')}`;
}
