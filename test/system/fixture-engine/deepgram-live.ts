import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeepgramClient } from '@deepgram/sdk';
import { SAMPLES, type Parlance, type TestApi } from '@parlance/testing';
import { product } from './product.js';

const run = promisify(execFile);
const PIECE_BYTES = 8000;

type Stream = Awaited<ReturnType<DeepgramClient['listen']['v1']['connect']>>;
type Message = Parameters<NonNullable<Parameters<Stream['on']>[1]>>[0];
type Results = Extract<Message, { type: 'Results' }>;

let parlance: Parlance;
let api: TestApi;
let base: string;
let speech: Buffer;

beforeAll(async () => {
  parlance = await product();
  api = await parlance.newAccount();
  base = `${new URL(api.url).origin.replace('http', 'ws')}/compat/deepgram`;
  const { stdout } = await run('ffmpeg', ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.meeting.path, '-ac', '1', '-f', 's16le', '-ar', '16000', '-'], { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  speech = stdout;
});

/** A stream of the client, with what it received. */
class Listener {
  readonly messages: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  private wake: () => void = () => {};

  private constructor(readonly stream: Stream) {
    stream.on('message', (message) => {
      this.messages.push(message as Message);
      this.wake();
    });
    this.closed = new Promise((resolve) => stream.on('close', (event) => resolve({ code: event.code, reason: event.reason })));
  }

  static async open(options: object = {}, apiKey = api.apiKey): Promise<Listener> {
    const client = new DeepgramClient({ apiKey, baseUrl: base });
    const stream = await client.listen.v1.connect({ model: 'nova-3', encoding: 'linear16', sample_rate: 16_000, reconnectAttempts: 0, ...options } as never);
    const listener = new Listener(stream);
    stream.connect();
    await stream.waitForOpen();
    return listener;
  }

  send(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) this.stream.sendMedia(new Uint8Array(bytes.subarray(start, start + PIECE_BYTES)));
  }

  async first<T extends Message>(is: (message: Message) => message is T): Promise<T> {
    for (;;) {
      const found = this.messages.find(is);
      if (found) return found;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  get finals(): Results[] {
    return this.messages.filter(isFinal);
  }
}

const isResults = (message: Message): message is Results => message.type === 'Results';
const isFinal = (message: Message): message is Results => isResults(message) && message.is_final === true;

describe('a stream of Deepgram’s client, unchanged but for its base URL,', () => {
  it('gets interim results, finals and metadata, and is a job with the same words', async () => {
    const listener = await Listener.open({ interim_results: true, vad_events: true, utterance_end_ms: 1000, punctuate: true });
    listener.send(speech);
    listener.stream.sendCloseStream({ type: 'CloseStream' });
    expect(await listener.closed).toMatchObject({ code: 1000 });
  });
});
