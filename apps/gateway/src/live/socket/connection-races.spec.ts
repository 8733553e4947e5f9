import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, type AppError } from '@parlance/platform';
import type { WebSocket } from 'ws';
import { LiveFeed } from '../session/live-feed.js';
import type { ConnectionOpening } from './connection-opening.js';
import { LiveSockets } from './live-sockets.js';
import type { SocketRequest } from './socket-admission.js';

type OpenParameters = Parameters<ConnectionOpening['open']>;

/** Connections of one session, which the test lets in, in its order. */
function setUp() {
  const opened: (() => void)[] = [];
  let holds = 0;
  const hold = () => {
    holds += 1;
    return () => (holds -= 1);
  };
  const feed = new LiveFeed();
  const follow = (...[id, listener]: Parameters<LiveFeed['follow']>) => {
    const [release, end] = [hold(), feed.follow(id, listener)];
    return () => (release(), end());
  };
  const started: number[] = [];
  const errors: unknown[] = [];
  const sent: string[] = [];
  const open = async (generation: number, socket: { readyState: unknown }, onClosed: () => void) => {
    await new Promise<void>((resolve) => (opened[generation] = resolve));
    const connection = {
      sessionId: 'job_1',
      session: { id: 'job_1', generation },
      taken: { credentialIds: new Set(['key_1']) },
      isClosed: false,
      fail: (error?: unknown) => {
        if (error) errors.push((error as AppError).code);
        if (!connection.isClosed) onClosed();
        connection.isClosed = true;
        socket.readyState = 3;
      },
      takenOver: async () => {
        connection.fail();
        await nextTurn();
      },
      gone: async () => connection.fail(),
      leave: async () => connection.fail(),
      start: async () => void started.push(generation),
    };
    return connection;
  };
  const opening = { open: (...[asked, socket, , { onClosed }]: OpenParameters) => open(asked.after ?? 0, socket, onClosed) };
  const sockets = new LiveSockets(opening as unknown as ConnectionOpening, { watch: hold }, { follow }, { connected: hold }, silentLogger(), { begin: async () => {} });
  const connect = (generation: number) => {
    const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1, bufferedAmount: 0, isPaused: false, pause: () => {}, resume: () => {}, send: (text: string) => sent.push((JSON.parse(text) as { code: string }).code), close: (code: number) => ((socket.readyState = 3), sent.push(String(code))) });
    sockets.accept(socket as unknown as WebSocket, { id: 'job_1', after: generation } as SocketRequest, 'req_1');
  };
  return { connect, opened, started, sockets, feed, errors, sent, holds: () => holds };
}

describe('connections of one session at the same time', () => {
  it.each([[[1, 2, 3]], [[3, 2, 1]], [[2, 3, 1]], [[2, 1, 3]]])('are left to the newest, and the others hold nothing, when they are let in as %j', async (order) => {
    const { connect, opened, started, sockets, holds } = setUp();
    for (const generation of order) connect(generation);
    for (const generation of order) opened[generation]?.();
    for (let turn = 0; turn < 10; turn += 1) await nextTurn();
    expect([started.at(-1), holds()]).toEqual([3, 3]);
    sockets.onModuleDestroy();
    expect(holds()).toBe(0);
  });
});

describe('a connection of a session that is ended by a request to the same server', () => {
  it.each(['ending', 'canceled'] as const)('is closed at once when the session is %s', async (type) => {
    const { connect, opened, feed, errors, holds } = setUp();
    connect(1);
    opened[1]?.();
    await nextTurn();
    feed.publish('job_1', { type });
    expect([errors, holds()]).toEqual([['live_ended'], 0]);
  });
});

describe('a client that is being let in when the server begins to stop', () => {
  it('is told to connect again, at once, and gets no session', async () => {
    const { connect, opened, sockets, sent, started, holds } = setUp();
    connect(1);
    await sockets.drain(10_000);
    expect(sent).toEqual(['service_unavailable', '1012']);
    opened[1]?.();
    await nextTurn();
    expect([started, holds()]).toEqual([[], 0]);
  });
});
