import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { LiveWebSocket } from './live-web-socket.js';

let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 100, WebSocket: LiveWebSocket });
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
});

describe('a socket that receives a message that is too large', () => {
  it('says so once, and is closed with code 1009 by its listener', async () => {
    let oversized = 0;
    server.once('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('oversized', () => {
        oversized += 1;
        // Bounded, so that a recursion fails this test alone.
        if (oversized < 10) socket.close(1009, 'payload_too_large');
      });
    });
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(client, 'open');
    client.send('x'.repeat(1000));
    const ended = once(client, 'close').then(([code, reason]) => [code, String(reason)]);
    const closed = await Promise.race([ended, once(client, 'error')]);
    expect([oversized, closed]).toEqual([1, [1009, 'payload_too_large']]);
  });
});
