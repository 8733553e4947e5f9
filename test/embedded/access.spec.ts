import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MediaServer, ParlanceProcess, WebhookReceiver } from '@parlance/testing';
import { accessPage, type Cell, type Row } from './access/access-page.js';
import { callersOf, type Caller } from './access/callers.js';
import { PLANTED_WORDS, PlantedAccount } from './access/planted-account.js';
import { requestOf, vendorRequestOf, VENDOR_ROUTES, type AccessRequest } from './access/requests.js';
import { connected, SOCKETS } from './access/sockets.js';
import { describedOperations } from './request-fuzz/described-operations.js';

const PAGE = fileURLToPath(new URL('../../docs/reference/access.md', import.meta.url));
const ENV = {
  SPEECH_ENGINE_URL: 'fixture:?words=Quillfeather,northern,warehouse,harbor,dollars',
  DIARIZATION_ENGINE_URL: 'fixture:?speakers=8&turnSeconds=3',
  LIVE_RESUME_SECONDS: '3600',
  LIVE_SESSIONS_PER_ACCOUNT: '1000',
};

/** Operations that do not succeed here, with their statuses: no S3, no mail, no language model, no sealed job, no erased account, no hidden translation. */
const NEVER_SUCCEEDS: Readonly<Record<string, number>> = {
  createDirectUpload: 422,
  verifySignup: 422,
  createTranslation: 422,
  getTranslation: 404,
  getSealedResult: 409,
  getAccountErasure: 404,
  'POST /v1/audio/translations': 400,
};

/** Callers that read without `transcriptions:read`: by a scope for that, what is their own, what an account shares, and what a link opens. */
const READ_OTHERWISE: Readonly<Record<string, readonly string[] | 'all'>> = {
  openLink: 'all',
  searchTranscripts: ['`search`'],
  ...Object.fromEntries(['askTranscript', 'askTranscripts', 'listConversations', 'getConversation', 'getTranscriptConversation'].map((id) => [id, ['`chat`']])),
  listEvents: ['`webhooks`'],
  getVocabulary: ['project'],
  ...Object.fromEntries(['POST /v1/audio/transcriptions', 'POST /compat/deepgram/v1/listen', 'POST /compat/asr/asr'].map((route) => [route, ['account', 'project']])),
};

const mayRead = (name: string, caller: Caller): boolean => caller.canRead || READ_OTHERWISE[name] === 'all' || (READ_OTHERWISE[name]?.includes(caller.name) ?? false);

interface Outcome {
  cell: Cell;
  status: number;
  answer: string;
}

describe('who may do what', () => {
  const opened = new AsyncDisposableStack();
  let planted: PlantedAccount;
  let callers: Caller[];
  beforeAll(async () => {
    const media = opened.use(await MediaServer.start());
    const receiver = opened.use(await WebhookReceiver.start());
    const parlance = opened.use(await ParlanceProcess.start({ env: ENV }));
    planted = await PlantedAccount.plant(parlance.api, { receiver: receiver.url, endless: media.at('/endless.mp3', () => {}), gone: media.at('/gone.mp3', (_request, response) => response.writeHead(404).end()) });
    callers = await callersOf(planted, await parlance.newAccount());
  });
  afterAll(() => opened.disposeAsync());

  const cell = (isRefused: boolean, answer: string): Cell => (PLANTED_WORDS.test(answer) ? 'reads' : isRefused ? 'refused' : 'answers');

  async function outcomeOf(caller: Caller, request: AccessRequest): Promise<Outcome> {
    const key = await caller.key(request);
    const headers = { ...request.headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) };
    const response = await fetch(`${planted.api.url}${request.path}`, { method: request.method, headers, body: request.body });
    const answer = await response.text();
    await request.after?.(answer);
    const shown = `${answer}\n${JSON.stringify([...response.headers])}`;
    return { cell: cell([401, 403, 404].includes(response.status), shown), status: response.status, answer };
  }

  /** Calls with a request of its own for each caller: what the one before has changed or removed is there again. */
  function callWith(make: (scope: string) => Promise<AccessRequest>): (caller: Caller) => Promise<Outcome> {
    let last: AccessRequest | undefined;
    return async (caller) => {
      last = caller.isNoKey && last ? { ...last, after: undefined } : await make(caller.scope);
      return outcomeOf(caller, last);
    };
  }

  async function outcomeOfSocket(caller: Caller, name: string): Promise<Outcome> {
    const { isRefused, answer } = await connected(name, planted, await caller.key({ jobId: planted.ids['live_id'] }));
    return { cell: cell(isRefused, answer), status: isRefused ? 401 : 200, answer };
  }

  it('is what docs/reference/access.md says', async () => {
    const described = describedOperations(await (await fetch(`${planted.api.url}/openapi.json`)).json());
    // The sockets first: what is done to the account ends its live session.
    const calls: Record<string, (caller: Caller) => Promise<Outcome>> = {
      ...Object.fromEntries(Object.keys(SOCKETS).map((name) => [name, (caller: Caller) => outcomeOfSocket(caller, name)])),
      ...Object.fromEntries(described.map((operation) => [operation.id, callWith((scope) => requestOf(operation, planted, scope))])),
      ...Object.fromEntries(Object.keys(VENDOR_ROUTES).map((route) => [route, callWith(() => vendorRequestOf(route, planted))])),
    };
    const rows: Row[] = [];
    const unexpected: string[] = [];
    for (const [name, call] of Object.entries(calls)) {
      const cells: Cell[] = [];
      for (const caller of callers) {
        const { cell: own, status, answer } = await call(caller);
        cells.push(own);
        if (caller === callers[0] && status >= 400 && NEVER_SUCCEEDS[name] !== status) unexpected.push(`${name}: ${status} ${answer.slice(0, 300)}`);
        if (own === 'reads' && !mayRead(name, caller)) unexpected.push(`${name} reads for ${caller.name}: ${status} ${answer.slice(0, 300)}`);
      }
      rows.push({ name, cells });
    }
    expect(unexpected).toEqual([]);
    const page = accessPage(callers, rows);
    if (process.env.WRITE_ACCESS === 'yes') await writeFile(PAGE, page);
    expect(await readFile(PAGE, 'utf8')).toBe(page);
  }, 600_000);

  it('is of no help with an Idempotency-Key of another caller', async () => {
    const [all, write] = ['every scope', '`transcriptions:write`'].map((name) => callers.find((caller) => caller.name === name));
    const post = async (caller: Caller | undefined, path: string, body: object) => {
      const response = await planted.api.as((await caller?.key({})) ?? '').post(path, body, { 'idempotency-key': `of-${path}` });
      return { status: response.status, answer: await response.text() };
    };
    const live = { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } };
    const { ids, failedJob } = planted;
    const { id: liveId } = await planted.openLive();
    await planted.api.terminal(failedJob);
    for (const [path, body] of [['/live', live], [`/live/${liveId}/tokens`, {}], [`/transcriptions/${failedJob}/retry?force=true`, {}], [`/transcriptions/${ids['job_id']}/add-ons`, { entities: true }]] as const) {
      expect([path, (await post(all, path, body)).status < 300]).toEqual([path, true]);
      const { status, answer } = await post(write, path, body);
      expect({ path, isRefused: status === 403 || status === 422, reads: PLANTED_WORDS.test(answer) || answer.includes('plv_') }).toEqual({ path, isRefused: true, reads: false });
    }
  });

  it('sends contents only to webhook endpoints of callers that read', async () => {
    const caller = callers.find(({ name }) => name === '`webhooks`');
    const api = planted.api.as((await caller?.key({})) ?? '');
    const change = (path: string, method: string, body: object) => api.request(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }).then(({ status }) => status);
    const id = await planted.endpoint();
    const [path, url] = [`/webhook-endpoints/${id}`, planted.urls.receiver];
    expect([await change('/webhook-endpoints', 'POST', { url, include: ['transcript'] }), await change(path, 'PATCH', { url: `${url}/new` }), await change(path, 'PATCH', { include: ['summary'] })]).toEqual([403, 403, 403]);
    expect([await change(path, 'PATCH', { enabled: true }), await change(path, 'PATCH', { url: `${url}/new`, include: [] }), await change(path, 'PATCH', { url })]).toEqual([200, 200, 200]);
    await planted.json('DELETE', path);
  });

  it('sends contents of a job to its receiver only for callers that read', async () => {
    const caller = callers.find(({ name }) => name === '`transcriptions:write`');
    const api = planted.api.as((await caller?.key({})) ?? '');
    const order = { upload_id: planted.ids['upload_id'], callback_url: planted.urls.receiver, callback_include: ['transcript'] };
    expect((await api.post('/transcriptions', order)).status).toBe(403);
    expect((await api.post('/live', { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 }, callback_url: planted.urls.receiver, callback_include: ['transcript'] })).status).toBe(403);
    const { batch_id: batchId } = (await (await api.post('/batches', { items: [order] })).json()) as { batch_id: string };
    expect(await planted.json('GET', `/batches/${batchId}/items`)).toMatchObject({ data: [{ status: 'refused', error: { code: 'insufficient_scope' } }] });
    expect((await api.post('/transcriptions', { ...order, callback_include: [] })).status).toBe(202);
  });
});
