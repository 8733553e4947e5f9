import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { WebSocket, WebSocketServer } from 'ws';
import { LiveWebSocket } from './live-web-socket.js';

const MAX_BYTES = 1000;
const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((server) => server.close()));

/** A client that sends a frame which is too large to a server that closes the connection with this code then. */
async function closedBy(code: number): Promise<{ code: number; reason: string; said: string[]; oversized: number }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: MAX_BYTES, WebSocket: LiveWebSocket });
  open.push(server);
  let oversized = 0;
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    socket.on('oversized' as 'error', () => {
      oversized += 1;
      socket.send('too large');
      socket.close(code, 'reason');
    });
  });
  await once(server, 'listening');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const said: string[] = [];
  client.on('message', (data: Buffer) => said.push(data.toString('utf8')));
  client.once('open', () => client.send(Buffer.alloc(MAX_BYTES + 1)));
  const [closed, reason] = (await once(client, 'close')) as [number, Buffer];
  return { code: closed, reason: reason.toString('utf8'), said, oversized };
}

describe('a connection whose limit is raised', () => {
  it('takes larger frames, and others do not', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: MAX_BYTES, WebSocket: LiveWebSocket });
    open.push(server);
    server.on('connection', (socket, { url }) => {
      if (url === '/large') (socket as LiveWebSocket).allowFrames(3 * MAX_BYTES);
      socket.on('error', () => {});
      socket.on('message', (data: Buffer) => socket.send(String(data.length)));
    });
    await once(server, 'listening');
    const answerAt = async (path: string, bytes: number) => {
      const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
      client.once('open', () => client.send(Buffer.alloc(bytes)));
      const answer = await Promise.race([once(client, 'message').then(([data]) => String(data)), once(client, 'close').then(([code]) => Number(code))]);
      client.terminate();
      return answer;
    };
    expect(await answerAt('/large', 3 * MAX_BYTES)).toBe(String(3 * MAX_BYTES));
    expect(await answerAt('/large', 3 * MAX_BYTES + 1)).toBe(1009);
    expect(await answerAt('/', MAX_BYTES + 1)).toBe(1009);
  });
});

describe('a client that is refused', () => {
  const serve = async (onConnection: (socket: LiveWebSocket) => void) => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, WebSocket: LiveWebSocket });
    open.push(server);
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      onConnection(socket as LiveWebSocket);
    });
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    client.on('error', () => {});
    await once(client, 'open');
    return client;
  };

  it('does not read what is sent: its connection is closed once a megabyte waits', async () => {
    const refusals: unknown[] = [];
    let sent = 0;
    const client = await serve((socket) => {
      socket.on('refused', (error) => {
        refusals.push(error.code);
        socket.close(1013, 'slow');
      });
      const sending = setInterval(() => {
        if (socket.readyState !== socket.OPEN) return clearInterval(sending);
        sent += 100_000;
        socket.send(Buffer.alloc(100_000));
      }, 1);
    });
    client.pause();
    await eventually('the refusal', () => refusals.length > 0);
    client.resume();
    expect((await once(client, 'close'))[0]).toBe(1013);
    expect(refusals).toEqual(['live_client_slow']);
    // What the system's own buffers took came before the megabyte.
    expect(sent).toBeGreaterThan(1024 * 1024);
  });

  it('sends pings without end: its connection is closed, also when nobody listens', async () => {
    const client = await serve(() => {});
    for (let count = 0; count < 100; count += 1) client.ping();
    const [code, reason] = (await once(client, 'close')) as [number, Buffer];
    expect([code, reason.toString()]).toEqual([4429, 'rate_limited']);
  });
});

describe('a frame that is too large', () => {
  it.each([4413, 1009])('is reported once, and then the server closes the connection with %d', async (code) => {
    expect(await closedBy(code)).toEqual({ code, reason: 'reason', said: ['too large'], oversized: 1 });
  });
});
