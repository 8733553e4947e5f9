import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/testing';
import type { LiveWebSocket } from '../../../live/socket/live-web-socket.js';
import { RealtimePeer } from './realtime-peer.js';
import type { RealtimeSessions } from './realtime-sessions.js';
import { defaultSettings, type RealtimeSettings } from './realtime-settings.js';
import type { RealtimeSocket } from './realtime-socket.js';

/** A socket whose client sends by `arrive`, and which records what is done to it. */
class RecordedSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;
  readonly sent: { type: string }[] = [];
  readonly closes: unknown[] = [];

  pause = () => void (this.isPaused = true);
  resume = () => void (this.isPaused = false);
  send = (text: string) => void this.sent.push(JSON.parse(text) as { type: string });
  close = (code: number) => void this.closes.push(code);
  arrive = (event: object) => this.emit('message', Buffer.from(JSON.stringify(event)));
}

/** Frames that come together are taken in several turns of the event loop where it is slow. */
const TURNS = 50;
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
const audio = (bytes: string) => ({ type: 'input_audio_buffer.append', audio: Buffer.from(bytes).toString('base64') });

function connected(sessions: Partial<Pick<RealtimeSessions, 'open' | 'check'>>) {
  const socket = new RecordedSocket();
  const caller = { accountId: 'acc_1', keyId: 'key_1', scopes: new Set<never>() };
  new RealtimePeer(socket as unknown as LiveWebSocket, { sessions: sessions as RealtimeSessions, caller, request: { id: 'req_1' } as never, settings: defaultSettings(), dialect: 'ga', idleMs: 60_000 }).listen();
  return socket;
}

/** A client whose session opens at once. */
function withSession() {
  const session: { live?: RealtimeSocket } = {};
  const open: RealtimeSessions['open'] = async (_caller, _http, { socket }) => {
    session.live = socket as RealtimeSocket;
    return 'job_1';
  };
  return { socket: connected({ open, check: async () => {} }), session };
}

/** A client whose session opens when the test calls `opened`. */
function withSlowSession() {
  const session: { live?: RealtimeSocket } = {};
  const { promise, resolve } = Promise.withResolvers<string>();
  const open: RealtimeSessions['open'] = (_caller, _http, { socket }) => {
    session.live = socket as RealtimeSocket;
    return promise;
  };
  return { socket: connected({ open }), session, opened: () => resolve('job_1') };
}

describe('a client of OpenAI’s realtime protocol', () => {
  it('whose session is refused opens no other by the audio behind', async () => {
    let opened = 0;
    const refuse = () => {
      opened += 1;
      return Promise.reject(new AppError({ kind: 'unavailable', code: 'no_live_capacity', message: 'Full.' }));
    };
    const socket = connected({ open: refuse });
    socket.arrive(audio('one'));
    socket.arrive(audio('two'));
    await settle();
    expect([opened, socket.closes, socket.isPaused]).toEqual([1, [1013], false]);
  });

  it('is not read while its settings are checked', async () => {
    let checked = () => {};
    const socket = connected({ check: () => new Promise((resolve) => (checked = resolve)) });
    socket.arrive({ type: 'session.update', session: { type: 'transcription' } });
    await settle();
    expect(socket.isPaused).toBe(true);
    checked();
    await settle();
    expect([socket.isPaused, socket.sent.at(-1)?.type]).toEqual([false, 'session.updated']);
  });

  it('that leaves while its session is opened has its audio before the end', async () => {
    const { socket, session, opened } = withSlowSession();
    socket.arrive(audio('one'));
    socket.arrive(audio('two'));
    await settle();
    socket.readyState = 3;
    socket.emit('close');
    opened();
    const taken: string[] = [];
    session.live?.on('message', (data: Buffer) => taken.push(data.toString('utf8')));
    await settle();
    expect(taken).toEqual(['one', 'two', '{"type":"finish"}']);
  });

  it('in the form of vLLM sends 16 kHz, and ends its utterance by the final commit alone', async () => {
    let settings: RealtimeSettings | undefined;
    let live: RealtimeSocket | undefined;
    const open: RealtimeSessions['open'] = async (_caller, _http, options) => {
      settings = options.settings;
      live = options.socket as RealtimeSocket;
      return 'job_1';
    };
    const socket = connected({ open, check: async () => {} });
    const commit = { type: 'input_audio_buffer.commit' };
    for (const event of [{ type: 'session.update', model: 'whisper-1' }, commit, audio('a'.repeat(4000)), commit, { ...commit, final: true }]) socket.arrive(event);
    await eventually('the final commit', () => socket.sent.some(({ type }) => type === 'conversation.item.done'));
    const taken: string[] = [];
    live?.on('message', (data: Buffer, isBinary: boolean) => isBinary || taken.push(data.toString('utf8')));
    await settle();
    expect(settings).toMatchObject({ format: { rate: 16_000 }, transcription: { model: 'whisper-1' }, turnDetection: null });
    expect(socket.sent.map(({ type }) => type)).toEqual(['session.created', 'session.updated', 'input_audio_buffer.committed', 'conversation.item.added', 'conversation.item.done']);
    expect(taken).toEqual(['{"type":"finalize"}']);
  });

  it('is told that its update has neither a session nor a model', async () => {
    const socket = connected({});
    socket.arrive({ type: 'session.update' });
    await settle();
    expect(socket.sent.at(-1)).toMatchObject({ type: 'error', error: { param: 'session' } });
  });
});

describe('a client that is refused', () => {
  it('while its session is being opened: the session is finished once it is open', async () => {
    const { socket, session, opened } = withSlowSession();
    socket.arrive(audio('one'));
    await settle();
    socket.emit('refused', new AppError({ code: 'live_client_slow', message: 'Slow.' }));
    socket.emit('close');
    opened();
    const taken: string[] = [];
    session.live?.on('message', (data: Buffer) => taken.push(data.toString('utf8')));
    await settle();
    expect([socket.closes, taken.at(-1)]).toEqual([[1013], '{"type":"finish"}']);
  });

  it('for events without audio, of which fifty in a second are answered', async () => {
    const socket = connected({ check: async () => {} });
    for (let count = 0; count < 200; count += 1) socket.arrive({ type: 'input_audio_buffer.clear' });
    while (socket.closes.length === 0) await settle();
    expect(socket.closes).toEqual([4429]);
    expect(socket.sent.filter(({ type }) => type === 'input_audio_buffer.cleared')).toHaveLength(51);
    expect(socket.sent.at(-1)).toMatchObject({ type: 'error', error: { code: expect.any(String) } });
  });

  it('not for a commit after each piece of audio', async () => {
    const { socket, session } = withSession();
    socket.arrive({ type: 'session.update', model: 'whisper-1' });
    for (let count = 0; count < 100; count += 1) for (const event of [audio('a'.repeat(3200)), { type: 'input_audio_buffer.commit' }]) socket.arrive(event);
    await eventually('the session', () => session.live !== undefined);
    let pieces = 0;
    session.live?.on('message', () => (pieces += 1));
    await eventually('all audio', () => pieces === 100);
    expect(socket.closes).toEqual([]);
    for (let count = 0; count < 60; count += 1) socket.arrive({ type: 'input_audio_buffer.commit' });
    await eventually('the refusal of commits without audio', () => socket.closes.length > 0);
    expect(socket.closes).toEqual([4429]);
  });

  it('for events that are none', async () => {
    const socket = connected({});
    for (let count = 0; count < 200; count += 1) socket.emit('message', Buffer.from('x'));
    while (socket.closes.length === 0) await settle();
    expect(socket.closes).toEqual([4429]);
  });

  it('as one that does not read: its session ends with it', async () => {
    const { socket, session } = withSession();
    socket.arrive(audio('one'));
    await settle();
    const refused: unknown[] = [];
    session.live?.on('refused', (error) => refused.push(error));
    const slow = new AppError({ code: 'live_client_slow', message: 'Slow.' });
    socket.emit('refused', slow);
    expect([refused, socket.closes]).toEqual([[slow], []]);
  });
});

describe('an event with much audio', () => {
  const large = (base64: string, before = '{"event_id":"a","type":"input_audio_buffer.append","audio" : "') => Buffer.from(`${before}${base64}"}`);
  const taken = async (data: Buffer) => {
    const { socket, session } = withSession();
    socket.emit('message', data);
    const pieces: Buffer[] = [];
    await eventually('the session or an error', () => session.live !== undefined || socket.sent.length > 1);
    session.live?.on('message', (piece: Buffer) => pieces.push(piece));
    for (let turns = 0; turns < 50; turns += 1) await settle();
    return { audio: Buffer.concat(pieces), errors: socket.sent.filter(({ type }) => type === 'error') };
  };
  const bytes = Buffer.alloc(1_000_001, 'audio/audio+');

  it.each([
    ['as it is', bytes.toString('base64')],
    ['with slashes as PHP writes them', bytes.toString('base64').replaceAll('/', '\\/')],
  ])('is decoded whole, %s', async (_how, base64) => {
    const { audio: decoded, errors } = await taken(large(base64));
    expect([decoded.equals(bytes), errors]).toEqual([true, []]);
  });

  it.each([
    ['Base64 with a fault', large(`${'A'.repeat(300_000)}%`), 'audio'],
    ['padding in the middle', large(`${'A'.repeat(100_000)}==${'A'.repeat(300_002)}`), 'audio'],
    ['an event of another type', large('A'.repeat(300_000), '{"type":"input_audio_buffer.commit","audio":"'), null],
    ['audio within something else', Buffer.from(`{"type":"session.update","session":{"x":"${'x'.repeat(100_000)}"}}`), null],
    ['audio without an end', Buffer.from(`{"type":"input_audio_buffer.append","audio":"${'A'.repeat(100_000)}`), null],
  ])('is refused with %s', async (_what, data, param) => {
    const { audio: none, errors } = await taken(data);
    expect(none.byteLength).toBe(0);
    expect(errors).toMatchObject([{ error: { param } }]);
  });
});

describe('the socket of a session that is closed', () => {
  it('keeps nothing of what the client still sends', async () => {
    const { socket, session } = withSession();
    socket.arrive(audio('one'));
    await settle();
    session.live?.close(1013, 'full');
    socket.arrive(audio('two'));
    await settle();
    const taken: string[] = [];
    session.live?.on('message', (data: Buffer) => taken.push(data.toString('utf8')));
    await settle();
    expect(taken).toEqual(['one']);
  });
});
