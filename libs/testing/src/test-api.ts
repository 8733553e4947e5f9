import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';

/** A job's answer as the tests look into it. */
export interface JobAnswer {
  job_id: string;
  status: string;
  error?: { code: string; message: string; retryable: boolean };
  warnings: { code: string; message: string }[];
  stages: Record<string, { status: string; error?: { code: string } }>;
  transcript?: { text: string; segments: { start: number; end: number; text: string }[] };
  [field: string]: unknown;
}

const TERMINAL = new Set(['completed', 'failed', 'canceled']);

/** The public API over HTTP, as terse as tests want it. */
export class TestApi {
  constructor(
    readonly url: string,
    readonly apiKey: string,
  ) {}

  request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.apiKey}`, ...init.headers };
    return fetch(`${this.url}/api/v1${path}`, { ...init, method, headers });
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
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', await openAsBlob(path), basename(path));
    return jobIdOf(await this.request('POST', '/transcriptions', { body: form, headers }));
  }

  async job(jobId: string, query = ''): Promise<JobAnswer> {
    const response = await this.request('GET', `/transcriptions/${jobId}${query}`);
    if (!response.ok) throw new Error(`GET job: ${response.status} ${await response.text()}`);
    return (await response.json()) as JobAnswer;
  }

  /** Waits by long poll until the job is terminal. @throws Error after `limitMs` */
  async terminal(jobId: string, limitMs = 60_000): Promise<JobAnswer> {
    const end = Date.now() + limitMs;
    for (;;) {
      const job = await this.job(jobId, '?wait=5');
      if (TERMINAL.has(job.status)) return job;
      if (Date.now() > end) throw new Error(`the job is still ${job.status}: ${JSON.stringify(job.stages)}`);
    }
  }

  async transcript(jobId: string, format: 'txt' | 'srt' | 'vtt' | 'json', options = ''): Promise<string> {
    const response = await this.request('GET', `/transcriptions/${jobId}/transcript?format=${format}${options}`);
    if (!response.ok) throw new Error(`GET transcript: ${response.status} ${await response.text()}`);
    return response.text();
  }
}

async function jobIdOf(response: Response): Promise<string> {
  const body = (await response.json()) as { job_id?: string };
  if (response.status !== 202 || body.job_id === undefined) throw new Error(`not accepted: ${response.status} ${JSON.stringify(body)}`);
  return body.job_id;
}
