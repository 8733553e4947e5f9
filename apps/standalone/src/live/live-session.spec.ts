import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ServerMessage } from '@parlance/contracts';
import { LiveServer } from '../../test/live-server.js';
import { RefusedRequest } from '../api-client.js';
import { LiveError } from './live-error.js';
import { LiveSession } from './live-session.js';

const sessionWith = (server: LiveServer, options: Partial<ConstructorParameters<typeof LiveSession>[0]> = {}) =>
  new LiveSession({ sessionId: 'job_1', socketUrl: server.url, requests: server, resumeWithinMs: 60_000, random: () => 0, ...options });

const final = (seq: number): ServerMessage => ({ type: 'final', seq, utterance: seq, id: `seg_${seq}`, start: seq, end: seq + 1, text: `utterance ${seq}`, words: [], endpoint: 'silence' });

const failure = (retryable: boolean, retryAfterMs?: number): ServerMessage => ({ type: 'error', code: 'some_code', message: 'Something is wrong.', retryable, request_id: 'req_1', ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }) });

/** Sends the audio in parts of odd sizes. */
async function send(session: LiveSession, audio: Buffer): Promise<void> {
  for (let at = 0; at < audio.byteLength; at += 3333) await session.write(audio.subarray(at, at + 3333));
  session.finish();
}

async function messagesOf(session: LiveSession, audio = randomBytes(100)): Promise<ServerMessage[]> {
  const sent = send(session, audio);
  const messages = [];
  for await (const message of session.messages()) messages.push(message);
  await sent;
  return messages;
}

describe('a client of a live session', () => {
  it('sends each byte once, whatever the connections do', async () => {
    const audio = randomBytes(500_000);
    let count = 0;
    await using server = await LiveServer.start({
      received: ({ socket }) => {
        count += 1;
        // Some bytes were stored without an acknowledgement that reached the client.
        if (count % 13 === 0) socket.terminate();
        return count % 3 === 0;
      },
    });
    const messages = await messagesOf(sessionWith(server), audio);
    expect(messages.at(-1)).toMatchObject({ type: 'finished' });
    expect(server.connections).toBeGreaterThan(3);
    expect(server.audio.equals(audio)).toBe(true);
    expect(server.tokens).toBe(server.connections);
  });

  it('asks for what came after the last message that it has, and gives each once', async () => {
    const asked: number[] = [];
    await using server = await LiveServer.start({
      connected: (connection, count) => {
        asked.push(connection.after);
        for (const seq of [1, 2, 3].slice(0, count + 1)) connection.say(final(seq));
        if (count < 2) connection.socket.close(1012);
      },
    });
    const messages = await messagesOf(sessionWith(server));
    expect(asked).toEqual([0, 2]);
    expect(messages.flatMap((message) => ('seq' in message ? [message.seq] : []))).toEqual([1, 2, 3, 100]);
  });

  it('connects again when the server is about to stop, and later when it says so', async () => {
    const at: number[] = [];
    await using server = await LiveServer.start({
      connected: ({ say, socket }, count) => {
        at.push(performance.now());
        if (count === 1) say({ type: 'go_away', reconnect_within_ms: 5000 });
        if (count !== 2) return;
        say(failure(true, 700));
        socket.close(1013);
      },
    });
    await messagesOf(sessionWith(server));
    const [, second = 0, third = 0] = at;
    expect(server.connections).toBe(3);
    expect(third - second).toBeGreaterThanOrEqual(650);
  });

  it('gives up what the server says cannot go on, with its words', async () => {
    await using server = await LiveServer.start({
      connected: ({ say, socket }) => {
        say(failure(false));
        socket.close(4410);
      },
    });
    await expect(messagesOf(sessionWith(server))).rejects.toMatchObject({ code: 'some_code', message: expect.stringContaining('Something is wrong.') });
    expect(server.connections).toBe(1);
  });

  it('gives up when another connection has taken the session over', async () => {
    await using server = await LiveServer.start({ connected: ({ socket }) => socket.close(4409) });
    await expect(messagesOf(sessionWith(server))).rejects.toThrow(LiveError);
    expect(server.connections).toBe(1);
  });

  it('gives up a session that the server does not know, and one whose server is away for too long', async () => {
    await using server = await LiveServer.start();
    const refusing = (error: Error) => Object.assign(Object.create(server) as LiveServer, { liveToken: () => Promise.reject<string>(error) });
    const unknown = sessionWith(server, { requests: refusing(new RefusedRequest('There is no such session.', 404, 'not_found', 'req_1')) });
    await expect(messagesOf(unknown)).rejects.toThrow('There is no such session.');
    const away = sessionWith(server, { requests: refusing(new TypeError('fetch failed')), resumeWithinMs: 300 });
    await expect(messagesOf(away)).rejects.toThrow('away for too long');
  });

  it('reads what is left of a session that was finished on a connection that broke', async () => {
    await using server = await LiveServer.start({ received: ({ socket }, _, type) => void (type === 'finish' && socket.terminate()) });
    const ended = new RefusedRequest('The live session has ended.', 410, 'live_ended', 'req_1');
    const requests = Object.assign(Object.create(server) as LiveServer, { liveToken: () => (server.connections === 0 ? server.liveToken() : Promise.reject(ended)) });
    expect((await messagesOf(sessionWith(server, { requests }))).at(-1)).toMatchObject({ type: 'finished', seq: 1 });
    Object.assign(requests, { liveToken: () => Promise.reject(ended), liveOffset: async () => 60 });
    await expect(messagesOf(sessionWith(server, { requests }))).rejects.toThrow('before all of its audio was stored');
  });

  it('keeps a bounded part of what is not acknowledged', async () => {
    await using server = await LiveServer.start({ received: () => false });
    const session = sessionWith(server);
    const audio = randomBytes(6 * 1024 * 1024);
    let isWritten = false;
    const written = send(session, audio).then(() => (isWritten = true));
    const messages = session.messages();
    await messages.next();
    while (server.audio.byteLength < 4 * 1024 * 1024) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(isWritten).toBe(false);
    expect(server.audio.byteLength).toBeLessThan(5 * 1024 * 1024);
    const rest = messages.return(undefined);
    await server[Symbol.asyncDispose]();
    await rest;
    await written;
  });
});
