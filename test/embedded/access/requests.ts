import { readFile } from 'node:fs/promises';
import { eventually, SAMPLES } from '@parlance/testing';
import type { DescribedOperation } from '../request-fuzz/described-operations.js';
import { PLANTED, type PlantedAccount } from './planted-account.js';

/** One request as some caller sends it. */
export interface AccessRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | FormData | Uint8Array<ArrayBuffer>;
  /** The job and the upload in the path. */
  jobId?: string;
  uploadId?: string;
  /** Undoes what the request did. @param answer its body */
  after?(answer: string): Promise<unknown>;
}

/** Parts of a request that are not those of every operation. @param scope that the caller has */
type Recipe = (planted: PlantedAccount, scope: string) => Promise<Parts> | Parts;

type Parts = Partial<AccessRequest> & { ids?: Record<string, string>; json?: unknown };

let sequence = 0;
/** Waits for the stages that the request before began. */
const settled = async (planted: PlantedAccount, json: unknown) => {
  await planted.settled();
  return { json };
};
const endLive = (planted: PlantedAccount, id: string) => planted.json('DELETE', `/live/${id}`);
const jobOf = async (planted: PlantedAccount) => ({ ids: { job_id: await planted.job() } });
const newKey = async (planted: PlantedAccount) => ({ ids: await planted.json('POST', '/keys', { name: 'fresh', scopes: ['keys'] }) });
const restoreAccount = (planted: PlantedAccount) => planted.json('POST', '/account/restore').catch(() => undefined);
const liftHold = (planted: PlantedAccount) => planted.json('DELETE', '/legal-hold').catch(() => undefined);

/** Removes the endpoint that was made: each would get all webhooks, and an account has 20 at most. */
async function removed(planted: PlantedAccount, id: string | undefined): Promise<void> {
  if (id !== undefined) await planted.json('DELETE', `/webhook-endpoints/${id}`).catch(() => undefined); // Another account’s.
}

/** An export that is there, and not being made. */
async function exported(planted: PlantedAccount): Promise<object> {
  const isThere = async () => (await planted.json('GET', '/account/export')).status === 'completed';
  await isThere().catch(() => planted.json('POST', '/account/export', {}));
  await eventually('the export', isThere);
  return {};
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  createTranscription: ({ ids }) => ({ json: { upload_id: ids['upload_id'], diarization: false, summary: false, highlights: false } }),
  updateTranscription: () => ({ json: { title: PLANTED.title } }),
  deleteTranscription: jobOf,
  cancelTranscription: async (planted) => {
    const job = await planted.json('POST', '/transcriptions', { audio_url: planted.urls.endless, title: PLANTED.title, metadata: { note: PLANTED.metadata } });
    return { ids: job, after: () => planted.json('DELETE', `/transcriptions/${job['job_id']}`) };
  },
  retryTranscription: async (planted) => {
    await planted.api.terminal(planted.failedJob);
    return { ids: { job_id: planted.failedJob }, path: `/api/v1/transcriptions/${planted.failedJob}/retry?force=true` };
  },
  orderAddOns: (planted) => settled(planted, { summary: true }),
  getClip: ({ ids }) => ({ path: `/api/v1/transcriptions/${ids['job_id']}/media/clip?start=0&end=1` }),
  createLink: () => ({ json: { what: 'transcript', format: 'txt' } }),
  deleteLink: async (planted) => ({ ids: await planted.link(planted.ids['job_id'] ?? '') }),
  openLink: async (planted) => ({ ids: { secret: (await planted.link(planted.ids['job_id'] ?? ''))['url']?.split('/').at(-1) ?? '' } }),
  createBatch: ({ ids }) => ({ json: { items: [{ upload_id: ids['upload_id'], diarization: false, summary: false, highlights: false }] } }),
  createUpload: () => ({ path: '/api/v1/uploads?file_name=talk.mp3', body: Buffer.from('RIFF'), headers: { 'content-type': 'audio/mpeg' } }),
  createDirectUpload: () => ({ json: { size_bytes: 4 } }),
  appendToUpload: async (planted) => {
    const begun = await planted.api.request('POST', '/uploads', { headers: { 'tus-resumable': '1.0.0', 'upload-length': '4', 'upload-metadata': `filename ${btoa(`${PLANTED.fileName}.mp3`)}` } });
    const { upload_id: uploadId = '' } = (await begun.json()) as Record<string, string>;
    return { ids: { upload_id: uploadId }, body: Buffer.from('RIFF'), headers: { 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' } };
  },
  deleteUpload: async (planted) => ({ ids: { upload_id: await planted.upload() } }),
  createLiveSession: (planted) => ({
    json: { language: 'en', audio: { encoding: 'pcm_s16le', sample_rate: 16_000 } },
    after: async (answer) => {
      const { id } = JSON.parse(answer) as { id?: string };
      if (id !== undefined) await endLive(planted, id).catch(() => undefined);
    },
  }),
  ...Object.fromEntries(['getLiveSession', 'createLiveToken'].map((id): [string, Recipe] => [id, ({ ids }) => ({ ids: { job_id: ids['live_id'] ?? '' } })])),
  streamLiveSession: ({ ids }) => ({ ids: { job_id: ids['ended_live_id'] ?? '' } }),
  endLiveSession: async (planted) => {
    const { id = '' } = await planted.openLive();
    return { ids: { job_id: id }, after: () => endLive(planted, id) };
  },
  findWords: ({ ids }) => ({ path: `/api/v1/transcriptions/${ids['job_id']}/words?q=${PLANTED.spoken}` }),
  createExport: ({ ids }) => ({ json: { job_ids: [ids['job_id']], formats: ['txt'] } }),
  editSegment: (planted) => settled(planted, { text: `${PLANTED.edited} ${sequence++}` }),
  editSegments: (planted) => settled(planted, { operations: [{ op: 'edit', segment_id: planted.ids['segment_id'], text: `${PLANTED.edited} ${sequence++}` }] }),
  replaceText: (planted) => settled(planted, { find: PLANTED.edited, replace: PLANTED.spoken, dry_run: true }),
  restoreRevision: (planted) => settled(planted, undefined),
  renameSpeaker: () => ({ json: { name: PLANTED.speaker } }),
  mergeSpeakers: async (planted) => {
    const { data } = await planted.json<{ data: Record<string, string>[] }>('GET', `/transcriptions/${planted.ids['job_id']}/speakers`);
    return { json: { from: data.at(-1)?.['speaker_id'], into: planted.ids['speaker_id'] } };
  },
  createSummary: () => ({ json: { format: 'minutes' } }),
  deleteSummary: async (planted) => ({ ids: { summary_id: await planted.summary(planted.ids['job_id'] ?? '') } }),
  createTranslation: () => ({ json: { language: 'de' } }),
  searchTranscripts: () => ({ path: `/api/v1/search?q=${PLANTED.spoken}` }),
  askTranscript: () => ({ json: { message: 'Who spoke of the harbor?' } }),
  askTranscripts: () => ({ json: { message: 'Who spoke of the harbor?' } }),
  deleteConversation: async (planted) => ({ ids: { conversation_id: await planted.conversation('/chat') } }),
  ...Object.fromEntries(['getTranscriptConversation', 'deleteTranscriptConversation'].map((id): [string, Recipe] => [id, async (planted) => ({ ids: { conversation_id: await planted.conversation(`/transcriptions/${planted.ids['job_id']}/chat`) } })])),
  createVocabulary: () => ({ json: { name: 'Products', phrases: [{ phrase: 'Parlance' }] } }),
  updateVocabulary: () => ({ json: { name: 'Products' } }),
  deleteVocabulary: async (planted) => ({ ids: await planted.vocabulary() }),
  createWebhookEndpoint: async (planted) => ({ json: { url: planted.urls.receiver }, after: (answer) => removed(planted, (JSON.parse(answer) as Record<string, string>)['endpoint_id']) }),
  updateWebhookEndpoint: () => ({ json: { enabled: true } }),
  deleteWebhookEndpoint: async (planted) => {
    const id = await planted.endpoint();
    return { ids: { endpoint_id: id }, after: () => removed(planted, id) };
  },
  createWebhookRedelivery: () => ({ json: { from: new Date(Date.now() - 60_000).toISOString() } }),
  createKey: () => ({ json: { name: 'made', scopes: ['keys'] } }),
  updateKey: () => ({ json: { monthly_seconds: null } }),
  deleteKey: newKey,
  rotateKey: newKey,
  createProject: () => ({ json: { name: `Project ${sequence++}` } }),
  updateProject: () => ({ json: { name: 'Apollo' } }),
  deleteProject: async (planted) => ({ ids: await planted.json('POST', '/projects', { name: `Project ${sequence++}` }) }),
  createToken: (_planted, scope) => ({ json: { scopes: [scope] } }),
  deleteToken: async (planted) => ({ ids: await planted.json('POST', '/tokens', {}) }),
  signUp: () => ({ json: { email: `ada${sequence++}@example.org` } }),
  verifySignup: () => ({ json: { signup_id: 'sgn_01k9z3v4n8', code: '000000' } }),
  deleteAccount: (planted) => ({ after: () => restoreAccount(planted) }),
  restoreAccount: async (planted) => {
    await planted.json('DELETE', '/account');
    return { after: () => restoreAccount(planted) };
  },
  exportAccount: exported,
  getAccountExport: exported,
  downloadAccountExport: exported,
  deleteAccountExport: exported,
  setLegalHold: (planted) => ({ json: { reason: 'a claim' }, after: () => liftHold(planted) }),
  liftLegalHold: async (planted) => {
    await planted.json('POST', '/legal-hold', { reason: 'a claim' });
    return { after: () => liftHold(planted) };
  },
};

/** The request of an operation of our API, with ids and words of the planted account. @param scope that the caller has */
export async function requestOf(operation: DescribedOperation, planted: PlantedAccount, scope: string): Promise<AccessRequest> {
  const { ids: own = {}, json, ...parts } = (await RECIPES[operation.id]?.(planted, scope)) ?? {};
  const ids: Record<string, string> = { ...operation.pathParameters, ...planted.ids, ...own };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ids[name] ?? ''));
  return {
    method: operation.method,
    path,
    ...(operation.path.includes('{job_id}') && { jobId: ids['job_id'] ?? '' }),
    ...(operation.path.includes('{upload_id}') && { uploadId: ids['upload_id'] ?? '' }),
    ...(json !== undefined && { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
    ...parts,
  };
}

const recording = async () => new Blob([await readFile(SAMPLES.reading.path)]);

async function form(field: string, fields: Record<string, string> = {}): Promise<FormData> {
  const data = new FormData();
  data.append(field, await recording(), 'talk.flac');
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  return data;
}

const ASSEMBLYAI = '/compat/assemblyai/v2';
const JSON_BODY = { headers: { 'content-type': 'application/json' } };

/** The routes of other vendors’ APIs by method and path. */
export const VENDOR_ROUTES: Readonly<Record<string, (planted: PlantedAccount) => Promise<Partial<AccessRequest>> | Partial<AccessRequest>>> = {
  'POST /v1/audio/transcriptions': async () => ({ body: await form('file', { model: 'whisper-1' }) }),
  'POST /v1/audio/translations': async () => ({ body: await form('file', { model: 'whisper-1' }) }),
  'GET /v1/models': () => ({}),
  'GET /v1/models/whisper-1': () => ({}),
  'POST /v1/realtime/client_secrets': () => ({ body: '{}', ...JSON_BODY }),
  'POST /v1/realtime/transcription_sessions': () => ({ body: '{}', ...JSON_BODY }),
  'POST /compat/deepgram/v1/listen': async () => ({ body: await readFile(SAMPLES.reading.path), headers: { 'content-type': 'audio/flac' } }),
  'GET /compat/asr': () => ({}),
  'GET /compat/asr/health': () => ({}),
  'POST /compat/asr/asr': async () => ({ path: '/compat/asr/asr?output=json', body: await form('audio_file') }),
  'POST /compat/asr/detect-language': async () => ({ body: await form('audio_file') }),
  [`POST ${ASSEMBLYAI}/upload`]: () => ({ body: Buffer.from('RIFF'), headers: { 'content-type': 'application/octet-stream' } }),
  [`POST ${ASSEMBLYAI}/transcript`]: async (planted) => ({ body: JSON.stringify({ audio_url: await planted.assemblyAiUpload() }), ...JSON_BODY }),
  [`GET ${ASSEMBLYAI}/transcript`]: () => ({}),
  ...Object.fromEntries(
    ['', '/sentences', '/paragraphs', `/word-search?words=${PLANTED.spoken}`, '/srt', '/vtt'].map((tail) => [`GET ${ASSEMBLYAI}/transcript/{id}${tail.split('?')[0]}`, ({ ids }: PlantedAccount) => ({ path: `${ASSEMBLYAI}/transcript/${ids['job_id']}${tail}`, jobId: ids['job_id'] ?? '' })]),
  ),
  [`DELETE ${ASSEMBLYAI}/transcript/{id}`]: async (planted) => {
    const jobId = await planted.job();
    return { path: `${ASSEMBLYAI}/transcript/${jobId}`, jobId };
  },
};

/** The request of a route of another vendor’s API. @param route as in {@link VENDOR_ROUTES} */
export async function vendorRequestOf(route: string, planted: PlantedAccount): Promise<AccessRequest> {
  const [method = '', path = ''] = route.split(' ');
  return { method, path, ...(await VENDOR_ROUTES[route]?.(planted)) };
}
