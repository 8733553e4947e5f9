import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { content, eventually, heldUntil, MediaServer, SAMPLES } from '@parlance/testing';
import { product } from '../../system/fixture-engine/product.js';

const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

let folder: string;
let client: Client;
let settings: Record<string, string>;
const clients: Client[] = [];

/** An assistant with an MCP server of its own. */
async function connected(env: Record<string, string>, ...flags: string[]): Promise<Client> {
  const assistant = new Client({ name: 'test', version: '1.0.0' });
  await assistant.connect(new StdioClientTransport({ command: process.execPath, args: [at('sdks/command/bin/parlance.js'), 'mcp', ...flags], env: { ...env, XDG_CONFIG_HOME: folder }, stderr: 'inherit' }));
  clients.push(assistant);
  return assistant;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-'));
  const { status, stderr } = spawnSync(process.execPath, [at('scripts/parlance.mjs'), '--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const api = await (await product()).newAccount();
  settings = { PARLANCE_BASE_URL: api.url, PARLANCE_API_KEY: api.apiKey };
  client = await connected(settings);
});

afterAll(async () => {
  await Promise.all(clients.map((each) => each.close()));
  await rm(folder, { recursive: true });
});

/** The structured result of a tool. */
async function call<T>(name: string, args: object, options: object = {}): Promise<T & { shown: string }> {
  const { structuredContent, isError, content } = (await client.callTool({ name, arguments: { ...args } }, undefined, options)) as CallToolResult;
  const shown = content.map((each) => (each.type === 'text' ? each.text : '')).join('');
  if (isError) throw new Error(shown);
  return { ...(structuredContent as T), shown };
}

/** The message of a call that fails. */
async function refusal(assistant: Client, name: string, args: object): Promise<string> {
  const { isError, content } = (await assistant.callTool({ name, arguments: { ...args } })) as CallToolResult;
  expect(isError).toBe(true);
  return content.map((each) => (each.type === 'text' ? each.text : '')).join('');
}

interface Place {
  segment_id: string;
  start: number;
  text: string;
}

interface Part {
  segments: Place[];
  next_segment_id?: string;
}

interface Transcribed extends Part {
  job_id: string;
  status: string;
  shown: string;
}

/** A server in the place of the product. */
async function standIn(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.closeAllConnections();
    await once(server.close(), 'close');
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close };
}

describe('the MCP server', () => {
  let job: Transcribed;

  it('offers tools with schemas, and says which only read', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_recordings', 'ask_recordings', 'read_transcript', 'list_recordings', 'get_recording', 'transcribe']);
    expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual(['transcribe']);
    for (const { inputSchema, outputSchema, description } of tools) expect({ inputSchema, outputSchema, description }).toEqual({ inputSchema: expect.objectContaining({ type: 'object' }), outputSchema: expect.objectContaining({ type: 'object' }), description: expect.any(String) });
    expect(client.getInstructions()).toContain('they are data');
  });

  it('transcribes a file with progress', async () => {
    const progress: number[] = [];
    job = await call<Transcribed>('transcribe', { file: SAMPLES.meeting.path, language: 'en', title: 'Planning' }, { onprogress: (news: { progress: number }) => progress.push(news.progress) });
    expect(job).toMatchObject({ status: 'completed', percent: 100, title: 'Planning', is_cut: false });
    expect(job.segments[0]?.text).toMatch(/\w/);
    expect(job.shown).toContain(job.segments[0]?.text);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...new Set(progress)].toSorted((a, b) => a - b));
  });

  it('does not transcribe the same file twice, unless the assistant wants it', async () => {
    const again = { file: SAMPLES.meeting.path, language: 'en', title: 'Planning' };
    expect((await call<Transcribed>('transcribe', again)).job_id).toBe(job.job_id);
    expect((await call<Transcribed>('transcribe', { ...again, again: true, wait_seconds: 0 })).job_id).not.toBe(job.job_id);
  });

  it('gives the job when there is no time to wait, and its state later', async () => {
    await using media = await MediaServer.start();
    const released = Promise.withResolvers<void>();
    const url = media.at('/reading.flac', heldUntil(released.promise, content(await readFile(SAMPLES.reading.path))));
    const begun = await call<Transcribed>('transcribe', { url, wait_seconds: 0 });
    released.resolve();
    expect(begun.shown).toContain(`Call get_recording with job_id: ${begun.job_id}`);
    expect(await call('get_recording', { job_id: begun.job_id, wait_seconds: 60 })).toMatchObject({ status: 'completed', has_transcript: true, stages: { transcription: 'completed' } });
  });

  it('lists recordings page after page', async () => {
    const first = await call<{ recordings: { job_id: string }[]; next_cursor: string }>('list_recordings', { limit: 1 });
    const second = await call<{ recordings: { job_id: string }[] }>('list_recordings', { limit: 1, cursor: first.next_cursor });
    expect(second.recordings).toHaveLength(1);
    expect(second.recordings).not.toEqual(first.recordings);
    expect(await call('list_recordings', { title: 'plan', status: 'completed' })).toMatchObject({ recordings: expect.arrayContaining([expect.objectContaining({ job_id: job.job_id, title: 'Planning' })]) });
  });

  it('finds a passage, reads around it, and answers with quotes and times', async () => {
    const words = job.segments[0]?.text.split(/\s+/).slice(0, 3).join(' ') ?? '';
    const { hits } = await eventually('the passage to be found', async () => {
      const found = await call<{ hits: (Place & { job_id: string })[] }>('search_recordings', { query: words, job_id: job.job_id });
      return found.hits.length > 0 && found;
    });
    expect(hits[0]).toMatchObject({ job_id: job.job_id, start: expect.any(Number) });
    const { segments } = await call<{ segments: Place[] }>('read_transcript', { job_id: job.job_id, segment_id: hits[0]?.segment_id });
    expect(segments[0]?.segment_id).toBe(hits[0]?.segment_id);
    const answer = await call<{ citations: object[]; conversation_id: string }>('ask_recordings', { question: `Who said ${words}?`, job_id: job.job_id });
    expect(answer).toMatchObject({ grounded: true, citations: expect.arrayContaining([expect.objectContaining({ job_id: job.job_id, quote: expect.any(String), start: expect.any(Number) })]) });
    expect(answer.shown).toMatch(/at \d:\d\d:\d\d: “/);
  });

  it('cuts a long transcript, and says how to read on', async () => {
    const { url, apiKey } = { url: settings['PARLANCE_BASE_URL'], apiKey: settings['PARLANCE_API_KEY'] };
    const edited = await fetch(`${url}/api/v1/transcriptions/${job.job_id}/segments/${job.segments[0]?.segment_id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'again and '.repeat(50) }),
    });
    expect(edited.status).toBe(200);
    const first = await call<Part>('read_transcript', { job_id: job.job_id, max_chars: 400 });
    expect(first).toMatchObject({ is_cut: true, next_segment_id: job.segments[1]?.segment_id });
    expect(first.shown).toContain(`Read on with read_transcript, job_id: ${job.job_id}, segment_id: ${first.next_segment_id}.`);
    const second = await call<Part>('read_transcript', { job_id: job.job_id, max_chars: 400, segment_id: first.next_segment_id });
    expect(second.segments[0]?.segment_id).toBe(first.next_segment_id);
  });

  it('gives transcripts as resources', async () => {
    const { resources } = await client.listResources();
    const uri = `parlance://recordings/${job.job_id}/transcript`;
    expect(resources).toContainEqual(expect.objectContaining({ uri, name: 'Planning' }));
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, mimeType: 'text/plain', text: expect.stringMatching(/^\[0:00:\d\d\] /) }]);
    await expect(client.readResource({ uri: 'parlance://recordings/job_none/transcript' })).rejects.toThrow('list_recordings');
  });

  it('says what to do about a recording, a segment or a cursor that is not there', async () => {
    expect(await refusal(client, 'read_transcript', { job_id: 'job_none' })).toMatch(/not_found.*Call list_recordings/s);
    expect(await refusal(client, 'get_recording', { job_id: 'job_none', wait_seconds: 5 })).toMatch(/not_found.*Call list_recordings/s);
    expect(await refusal(client, 'read_transcript', { job_id: job.job_id, segment_id: 'seg_none' })).toContain('Read by time instead');
    expect(await refusal(client, 'list_recordings', { cursor: 'none' })).toContain('Call again without cursor');
  });

  it('says what to do about a file that cannot be transcribed', async () => {
    expect(await refusal(client, 'transcribe', {})).toContain('either file or url');
    expect(await refusal(client, 'transcribe', { file: join(folder, 'none.mp3') })).toMatch(/There is no such file.*absolute path/s);
    expect(await refusal(client, 'transcribe', { file: folder })).toContain('is not a file');
    const text = join(folder, 'text.mp3');
    await writeFile(text, 'This is no recording.');
    expect(await refusal(client, 'transcribe', { file: text })).toMatch(/media_\w+.*use another file/s);
    expect(await refusal(client, 'transcribe', { file: SAMPLES.reading.path, model: 'none' })).toContain('model_unknown');
    expect(await refusal(client, 'transcribe', { url: 'ftp://example.org/a.mp3' })).toMatch(/url/);
  });

  it('reads files only in the folders that it may read, and changes nothing when it may only read', async () => {
    const link = join(folder, 'link.mp3');
    await symlink(SAMPLES.reading.path, link);
    const assistant = await connected(settings, '--folder', folder);
    expect(await refusal(assistant, 'transcribe', { file: SAMPLES.reading.path })).toContain(folder);
    expect(await refusal(assistant, 'transcribe', { file: link })).toContain(folder);
    const allowed = await connected(settings, '--folder', dirname(SAMPLES.reading.path));
    expect((await allowed.callTool({ name: 'transcribe', arguments: { file: link, wait_seconds: 0 } })).isError).toBeUndefined();
    const reader = await connected(settings, '--read-only');
    expect((await reader.listTools()).tools.map(({ name }) => name)).not.toContain('transcribe');
  });

  it('says that the key is wrong, without showing it', async () => {
    const message = await refusal(await connected({ ...settings, PARLANCE_API_KEY: 'pl_wrong' }), 'list_recordings', {});
    expect(message).toMatch(/unauthenticated.*set PARLANCE_API_KEY/s);
    expect(message).not.toContain('pl_wrong');
  });

  it('says that the server is away, or is another one', async () => {
    expect(await refusal(await connected({ ...settings, PARLANCE_BASE_URL: 'http://127.0.0.1:9' }), 'search_recordings', { query: 'a' })).toMatch(/does not answer: .*PARLANCE_BASE_URL/s);
    await using page = await standIn((_request, response) => response.setHeader('content-type', 'text/html').end('<html>Welcome</html>'));
    expect(await refusal(await connected({ ...settings, PARLANCE_BASE_URL: page.url }), 'list_recordings', {})).toContain('check PARLANCE_BASE_URL');
  });

  it('ends the request to the server when the assistant cancels its call', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    let isAsked = false;
    await using silent = await standIn((_request, response) => {
      isAsked = true;
      response.on('close', resolve);
    });
    const assistant = await connected({ ...settings, PARLANCE_BASE_URL: silent.url });
    const cancel = new AbortController();
    const canceled = assistant.callTool({ name: 'search_recordings', arguments: { query: 'a' } }, undefined, { signal: cancel.signal }).catch((error: unknown) => error);
    await eventually('the request', () => isAsked);
    cancel.abort();
    expect(await canceled).toBeInstanceOf(Error);
    await closed;
  });
});
