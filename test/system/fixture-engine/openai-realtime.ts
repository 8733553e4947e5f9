import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SAMPLES, type TestApi } from '@parlance/testing';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { product } from './product.js';

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

  static async open(path = '/v1', apiKey = api.apiKey, options: object = {}): Promise<Client> {
    const client = new Client(new OpenAIRealtimeWS({ intent: 'transcription', options: { ...withoutTls(), ...options } }, new OpenAI({ baseURL: root + path, apiKey })));
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
const jobOf = async (session: string) => (await api.json<{ data: { job_id: string; kind: string; status: string }[] }>(`/transcriptions?metadata.session=${session}`)).data;

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
    const [job] = await eventually('the job', async () => {
      const jobs = await jobOf(session?.id ?? '');
      return jobs[0]?.status === 'completed' && jobs;
    });
    const { transcript } = await api.job(job?.job_id ?? '');
    expect(job?.kind).toBe('live');
    expect(transcript?.text.startsWith(client.transcripts()[0] ?? 'none')).toBe(true);
  });
});
