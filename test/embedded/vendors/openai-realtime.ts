import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, startParlance, type TestApi } from '@parlance/testing';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket as WsSocket } from 'ws';
import { LiveConnection, openSession } from '../../system/fixture-engine/live-connection.js';
import { product } from '../../system/fixture-engine/product.js';

const run = promisify(execFile);
const TRANSCRIPTION = 'conversation.item.input_audio_transcription';

/** An event of the server, with the fields that are looked at here. */
interface ServerEvent {
  type: string;
  item_id?: string;
  delta?: string;
  transcript?: string;
  previous_item_id?: string | null;
  session?: { id: string; [field: string]: unknown };
  error?: { code: string; param: string | null; event_id: string | null; message: string };
}

let api: TestApi;
let root: string;
let speech: Uint8Array;

async function encoded(...options: string[]): Promise<Uint8Array> {
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.meeting.path, '-ac', '1', '-t', '12', ...options, '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

beforeAll(async () => {
  const parlance = await product();
  api = await parlance.newAccount();
  root = new URL(api.url).origin;
  speech = await encoded('-f', 's16le', '-ar', '24000');
});

/** OpenAI's client for Node speaks TLS alone: here its connection goes without, as behind a proxy that ends it. */
const withoutTls = () => ({ createConnection: () => connect(Number(new URL(root).port), new URL(root).hostname) }) as object;

/** OpenAI's client for Node, unchanged but for its base URL. */
class Client {
  readonly events: ServerEvent[] = [];
  closed: number | undefined;

  private constructor(readonly realtime: OpenAIRealtimeWS) {
    realtime.on('event', (event) => void this.events.push(event as ServerEvent));
    realtime.on('error', () => {});
    realtime.socket.on('close', (code) => (this.closed = code));
  }

  static of(path: string, apiKey: string, headers: object = {}): Client {
    return new Client(new OpenAIRealtimeWS({ intent: 'transcription', options: { ...withoutTls(), headers: { ...headers } } }, new OpenAI({ baseURL: root + path, apiKey })));
  }

  static async open(path = '/v1', apiKey = api.apiKey): Promise<Client> {
    const client = Client.of(path, apiKey);
    await once(client.realtime.socket, 'open');
    return client;
  }

  say(event: { type: string; [field: string]: unknown }): void {
    this.realtime.send(event as never);
  }

  append(audio: Uint8Array, pieceBytes = 24_000): void {
    for (let at = 0; at < audio.length; at += pieceBytes) this.say({ type: 'input_audio_buffer.append', audio: Buffer.from(audio.subarray(at, at + pieceBytes)).toString('base64') });
  }

  all(type: string): ServerEvent[] {
    return this.events.filter((event) => event.type === type);
  }

  async first(type: string): Promise<ServerEvent> {
    return eventually(type, () => {
      const [found] = this.all(type);
      if (!found && (this.closed !== undefined || (type !== 'error' && this.all('error').length > 0))) throw new Error(`no ${type}: ${this.closed} ${JSON.stringify(this.all('error'))}`);
      return found;
    });
  }

  /** The transcripts of the items, in order. */
  transcripts(): (string | undefined)[] {
    return this.all(`${TRANSCRIPTION}.completed`).map(({ transcript }) => transcript);
  }
}

const general = (input: object) => ({ type: 'session.update', session: { type: 'transcription', audio: { input } } });
const completedJob = (session = '') =>
  eventually('the job', async () => {
    const [job] = (await api.json<{ data: { job_id: string; kind: string; status: string }[] }>(`/transcriptions?metadata%5Bsession%5D=${session}`)).data;
    return job?.status === 'completed' && api.job(job.job_id);
  });
const words = (texts: (string | undefined)[]) => texts.join(' ').toLowerCase().split(/\s+/);

describe('the realtime client of OpenAI, unchanged but for its base URL,', () => {
  it('gets what is said, and the session is a job of the account', async () => {
    const client = await Client.open();
    const { session } = await client.first('session.created');
    client.say(general({ format: { type: 'audio/pcm', rate: 24_000 }, transcription: { model: 'gpt-4o-transcribe', language: 'en' }, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } }));
    expect(await client.first('session.updated')).toMatchObject({ session: { id: session?.id, type: 'transcription', audio: { input: { transcription: { language: 'en' } } } } });
    client.append(speech);
    await eventually('two transcripts', () => client.transcripts().length > 1);
    const [started, stopped, committed, added, completed] = await Promise.all(['input_audio_buffer.speech_started', 'input_audio_buffer.speech_stopped', 'input_audio_buffer.committed', 'conversation.item.added', `${TRANSCRIPTION}.completed`].map((type) => client.first(type)));
    expect(new Set([started, stopped, committed, completed].map((event) => event?.item_id)).size).toBe(1);
    expect(added).toMatchObject({ item: { id: committed?.item_id }, previous_item_id: null });
    expect(client.all(`${TRANSCRIPTION}.delta`).filter(({ item_id: id }) => id === committed?.item_id).map(({ delta }) => delta).join('')).toBe(completed?.transcript);
    client.realtime.close();
    const job = await completedJob(session?.id);
    expect(job['kind']).toBe('live');
    expect(job.transcript?.text.startsWith(client.transcripts()[0] ?? 'none')).toBe(true);
  });

  it('ends its utterances by itself, each with the text of its own audio', async () => {
    const client = await Client.open('/compat/openai/v1');
    const { session } = await client.first('session.created');
    client.say(general({ turn_detection: null, transcription: { model: 'whisper-1', language: 'en' } }));
    const half = speech.length / 2;
    client.append(speech.subarray(0, half));
    client.say({ type: 'input_audio_buffer.commit' });
    client.append(speech.subarray(half));
    client.say({ type: 'input_audio_buffer.commit' });
    await eventually('both transcripts', () => client.transcripts().length === 2);
    expect(client.all('input_audio_buffer.committed').map(({ previous_item_id: previous }) => previous)).toEqual([null, client.all('input_audio_buffer.committed')[0]?.item_id]);
    expect(client.all('input_audio_buffer.speech_started')).toEqual([]);
    for (const { item_id: id, transcript } of client.all(`${TRANSCRIPTION}.completed`)) {
      const deltas = client.all(`${TRANSCRIPTION}.delta`).filter((event) => event.item_id === id);
      expect(deltas.map(({ delta }) => delta).join('')).toBe(transcript);
      expect(transcript).not.toBe('');
    }
    const transcripts = client.transcripts();
    client.realtime.close();
    expect(words([(await completedJob(session?.id)).transcript?.text])).toEqual(words(transcripts));
  });

  it('withdraws audio, and commits silence', async () => {
    const client = await Client.open();
    client.say(general({ turn_detection: null }));
    client.append(speech.subarray(0, 240_000));
    client.say({ type: 'input_audio_buffer.clear' });
    client.append(new Uint8Array(48_000));
    client.say({ type: 'input_audio_buffer.commit' });
    expect(await client.first(`${TRANSCRIPTION}.completed`)).toMatchObject({ transcript: '' });
    expect(client.all('input_audio_buffer.cleared')).toHaveLength(1);
    client.realtime.close();
  });

  it('gets errors as events that name its own', async () => {
    const client = await Client.open();
    const errors = async (event: object) => {
      const id = `mine_${client.all('error').length}`;
      client.say({ ...event, event_id: id } as never);
      const error = await eventually('the error', () => client.all('error').find((found) => found.error?.event_id === id)?.error);
      return [error.code, error.param];
    };
    expect(await errors({ type: 'response.create' })).toEqual(['invalid_value', 'type']);
    expect(await errors({ type: 'input_audio_buffer.append', audio: '%' })).toEqual(['invalid_value', 'audio']);
    expect(await errors({ type: 'input_audio_buffer.commit' })).toEqual(['input_audio_buffer_commit_empty', null]);
    expect(await errors({ type: 'session.update', session: { type: 'realtime' } })).toEqual(['not_supported', 'session.type']);
    expect(await errors(general({ format: { type: 'audio/opus' } }))).toEqual(['invalid_value', 'session.audio.input.format.type']);
    expect(await errors(general({ transcription: { model: 'nobody-has-it' } }))).toEqual(['model_not_found', 'model']);
    client.append(speech.subarray(0, 4800));
    expect(await errors(general({ transcription: { language: 'de' } }))).toEqual(['not_supported', 'session']);
    client.realtime.close();
  });

  it('is refused by a status with a wrong key, and from a page of another origin', async () => {
    const refused = async (key: string, headers: object = {}) => {
      const { realtime } = Client.of('/v1', key, headers);
      const [, response] = (await once(realtime.socket, 'unexpected-response')) as [unknown, { statusCode: number }];
      return response.statusCode;
    };
    const reading = (await (await api.post('/keys', { name: 'reader', scopes: ['transcriptions:read'] })).json()) as { api_key: string };
    expect([await refused('wrong'), await refused(reading.api_key), await refused(api.apiKey, { origin: 'https://other.example' })]).toEqual([401, 403, 403]);
  });

  it('is cut off when its key is revoked', async () => {
    const { api_key: key, key_id: id } = (await (await api.post('/keys', { name: 'short', scopes: ['transcriptions:write'] })).json()) as { api_key: string; key_id: string };
    const client = await Client.open('/v1', key);
    client.append(speech.subarray(0, 48_000));
    await api.request('DELETE', `/keys/${id}`);
    expect(await eventually('the close', () => client.closed)).toBe(4401);
    expect(client.all('error')[0]?.error?.code).toBe('unauthenticated');
  });
});

/** A page's WebSocket, which has no headers: the key is a subprotocol. */
class Page {
  readonly events: ServerEvent[] = [];

  constructor(
    key: string,
    readonly socket = new WebSocket(`${root.replace('http', 'ws')}/v1/realtime?intent=transcription`, ['realtime', `openai-insecure-api-key.${key}`, 'openai-beta.realtime-v1']),
  ) {
    socket.addEventListener('message', ({ data }) => this.events.push(JSON.parse(String(data)) as ServerEvent));
  }

  append(audio: Uint8Array): void {
    this.socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.from(audio).toString('base64') }));
  }

  first(type: string): Promise<ServerEvent> {
    return eventually(type, () => this.events.find((event) => event.type === type));
  }
}

describe('a page that speaks OpenAI’s realtime protocol in its earlier form', () => {
  it.each([
    ['pcm16', ['-f', 's16le', '-ar', '24000']],
    ['g711_ulaw', ['-f', 'mulaw', '-ar', '8000']],
    ['g711_alaw', ['-f', 'alaw', '-ar', '8000']],
  ])('is served with an ephemeral key that has its session, of %s', async (format, options) => {
    const client = new OpenAI({ baseURL: `${root}/v1`, apiKey: api.apiKey });
    const asked = { input_audio_format: format, input_audio_transcription: { model: 'gpt-4o-transcribe', language: 'en', prompt: '' }, turn_detection: { type: 'server_vad', silence_duration_ms: 300 } };
    const made = (await client.post('/realtime/transcription_sessions', { body: asked })) as { client_secret: { value: string }; input_audio_format: string };
    expect(made).toMatchObject({ input_audio_format: format, client_secret: { expires_at: expect.any(Number) } });
    const page = new Page(made.client_secret.value);
    expect(await page.first('transcription_session.created')).toMatchObject({ session: { input_audio_format: format } });
    expect(page.socket.protocol).toBe('realtime');
    page.append(await encoded(...options));
    const created = await page.first('conversation.item.created');
    expect(created).toMatchObject({ item: { content: [{ type: 'input_audio' }] } });
    expect((await page.first(`${TRANSCRIPTION}.completed`)).transcript).not.toBe('');
    page.socket.close();
  });

  it('gets its ephemeral key by OpenAI’s client, also in the later form, and not with another one', async () => {
    const client = new OpenAI({ baseURL: `${root}/v1`, apiKey: api.apiKey });
    const session = { type: 'transcription' as const, audio: { input: { turn_detection: { type: 'server_vad' as const, silence_duration_ms: 400 } } } };
    const { value, expires_at: end, session: shown } = await client.realtime.clientSecrets.create({ expires_after: { anchor: 'created_at', seconds: 60 }, session });
    expect(end - Date.now() / 1000).toBeLessThanOrEqual(60);
    expect(shown).toMatchObject({ audio: { input: { turn_detection: { silence_duration_ms: 400 } } } });
    const again = new OpenAI({ baseURL: `${root}/v1`, apiKey: value.split('.')[0] ?? '', maxRetries: 0 });
    await expect(again.realtime.clientSecrets.create({ session })).rejects.toMatchObject({ status: 403 });
    await expect(client.realtime.clientSecrets.create({ session: { type: 'realtime' } })).rejects.toMatchObject({ status: 400, param: 'session' });
  });
});

interface RealtimeRequest {
  /** Of the address. */
  query?: string;
  headers?: Record<string, string>;
  update: object;
  /** Hz of its audio; 24000 where it says nothing. */
  rate?: number;
  /** The event by which the client ends an utterance by itself. */
  commit?: object;
  /** True for a client that also sends the commit event without optional fields while audio still arrives. */
  commitsEarly?: boolean;
}

const INTENT = 'intent=transcription';
const COMMIT = { type: 'input_audio_buffer.commit' };

/** The update of the general form with the input that a client chooses. */
const pcmInput = (input: object) => general({ format: { type: 'audio/pcm', rate: 24_000 }, ...input });

describe('a session as the source of other clients asks for it', () => {
  it.each<[string, RealtimeRequest]>([
    // pipecat src/pipecat/services/openai/stt.py at 002d7912.
    ['Pipecat', { update: pcmInput({ transcription: { model: 'gpt-realtime-whisper', language: 'en' }, turn_detection: null, noise_reduction: { type: 'near_field' } }), commit: COMMIT }],
    ['Pipecat with turns by the server', { update: pcmInput({ transcription: { model: 'gpt-4o-transcribe', language: 'en', prompt: 'Parlance' } }) }],
    // livekit-plugins-openai livekit/plugins/openai/stt.py at 0501b181, which detects the language.
    [
      'LiveKit',
      {
        headers: { 'OpenAI-Beta': 'realtime=v1', 'User-Agent': 'LiveKit Agents' },
        update: {
          type: 'transcription_session.update',
          session: {
            input_audio_format: 'pcm16',
            input_audio_transcription: { model: 'gpt-4o-mini-transcribe', prompt: '', language: '', noise_reduction_type: 'near_field' },
            turn_detection: { type: 'server_vad', threshold: 0.5, prefix_padding_ms: 600, silence_duration_ms: 350 },
          },
        },
      },
    ],
    // openwhispr src/helpers/openaiRealtimeStreaming.js at 04905238, realtimeUrl.js at b6076802.
    ['OpenWhispr', { query: `${INTENT}&model=gpt-live-transcribe`, update: pcmInput({ transcription: { model: 'gpt-live-transcribe' }, turn_detection: null }), commit: COMMIT }],
    ['OpenWhispr with turns by the server', { query: `${INTENT}&model=gpt-4o-mini-transcribe`, update: pcmInput({ transcription: { model: 'gpt-4o-mini-transcribe' }, turn_detection: { type: 'server_vad', threshold: 0.6, silence_duration_ms: 600, prefix_padding_ms: 500 } }) }],
    // typewhisper-mac TypeWhisperPluginSDK/Plugins/OpenAICompatiblePlugin/OpenAIRealtimeTranscription.swift at bdf15b3b.
    ['TypeWhisper', { update: pcmInput({ transcription: { model: 'gpt-live-transcribe', languages: ['en', 'de'], prompt: 'Ada', keywords: ['Parlance'] }, turn_detection: null }), commit: COMMIT }],
    ['TypeWhisper with an older model', { update: pcmInput({ transcription: { model: 'gpt-realtime-whisper', language: 'en' }, turn_detection: null }), commit: COMMIT }],
    // VoxInput transcription.go at f1a7a355, by go-openai-realtime at b1a91a34: the model is that of conversations.
    ['VoxInput', { query: 'model=gpt-realtime', update: { event_id: 'Initial update', ...general({ turn_detection: { type: 'server_vad' } }) } }],
    ['VoxInput with a model', { query: 'model=gpt-realtime', update: { event_id: 'Initial update', ...general({ turn_detection: { type: 'server_vad' }, transcription: { language: 'en', prompt: 'Parlance', model: 'whisper-1' } }) } }],
    // localvoxtral Sources/localvoxtral/RealtimeAPIWebSocketClient.swift at c22cc14d: as clients of vLLM do.
    ['localvoxtral', { query: '', headers: { 'OpenAI-Beta': 'realtime=v1' }, update: { type: 'session.update', model: 'whisper-1' }, rate: 16_000, commit: { ...COMMIT, final: true }, commitsEarly: true }],
  ])('%s gets what is said', async (_name, { query = INTENT, headers = {}, update, rate = 24_000, commit, commitsEarly = false }) => {
    const spoken = rate === 24_000 ? speech : await encoded('-f', 's16le', '-ar', `${rate}`);
    const socket = new WsSocket(`${root.replace('http', 'ws')}/v1/realtime?${query}`, { headers: { authorization: `Bearer ${api.apiKey}`, ...headers } });
    const events: ServerEvent[] = [];
    socket.on('message', (data) => void events.push(JSON.parse(String(data)) as ServerEvent));
    const first = (type: string) =>
      eventually(type, () => {
        const error = events.find((event) => event.type === 'error');
        if (error) throw new Error(JSON.stringify(error));
        return events.find((event) => event.type.endsWith(type));
      });
    const say = (event: object) => socket.send(JSON.stringify(event));
    await first('session.created');
    say(update);
    await first('session.updated');
    // 50 ms at a time.
    const pieceBytes = rate / 10;
    for (let at = 0; at < spoken.length; at += pieceBytes) {
      say({ type: 'input_audio_buffer.append', audio: Buffer.from(spoken.subarray(at, at + pieceBytes)).toString('base64') });
      if (commitsEarly) say(COMMIT);
    }
    if (commit) say(commit);
    expect((await first(`${TRANSCRIPTION}.delta`)).delta).not.toBe('');
    expect((await first(`${TRANSCRIPTION}.completed`)).transcript).not.toBe('');
    if (commitsEarly) expect(events.filter(({ type }) => type === 'input_audio_buffer.committed')).toHaveLength(1);
    socket.close();
  });
});

describe('another Parlance, whose engine for live audio is this one by its realtime protocol,', () => {
  it('finds the same words as the engine here', async () => {
    await using other = await startParlance({ env: { SPEECH_ENGINE_URL: 'fixture:', LIVE_ENGINE_URL: `openai-realtime+${root}/v1`, LIVE_ENGINE_API_KEY: api.apiKey } });
    const theirs = await other.newAccount();
    const audio = new Uint8Array(await encoded('-f', 's16le', '-ar', '16000'));
    const session = await openSession(theirs, { audio: { encoding: 'pcm_s16le', sample_rate: 16_000 }, language: 'en' });
    const connection = await LiveConnection.open(theirs, session.id, session.token);
    expect(await connection.first('ready')).toMatchObject({ mode: 'native', engine: 'openai-realtime:gpt-4o-transcribe' });
    await connection.sendAll(audio);
    connection.say({ type: 'finish' });
    await connection.first('finished');
    const finals = connection.all('final');
    expect(finals.length).toBeGreaterThan(1);
    const [job] = (await api.json<{ data: { job_id: string; metadata: { source?: string } }[] }>('/transcriptions?kind=live&limit=1')).data;
    expect(job?.metadata.source).toBe('openai-realtime');
    expect(words(finals.map(({ text }) => text))).toEqual(words([(await api.terminal(job?.job_id ?? '')).transcript?.text]));
  });
});
