import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { eventually } from '@parlance/testing';
import { OpenStreams } from './open-streams.js';

describe('the signal of an answer that is held open', () => {
  const streams = new OpenStreams({ watch: () => () => {} }, { take: async () => () => {} });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let signals: AbortSignal[];
  let listeners: number[];
  let answer: (response: ServerResponse) => void;
  const server = createServer((request: IncomingMessage, response) => {
    signals.push(streams.signalFor({ raw: response, request: { caller: null } } as FastifyReply));
    listeners.push(request.socket.listenerCount('close'));
    answer(response);
  });
  beforeEach(async () => {
    signals = [];
    listeners = [];
    answer = (response) => response.end('done');
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  const send = () => get({ port: (server.address() as AddressInfo).port, agent });

  it('leaves nothing on a connection that is used again', async () => {
    for (let request = 0; request < 20; request++) {
      const [response] = (await once(send(), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }
    expect(new Set(listeners).size).toBe(1);
  });

  it('aborts when the client goes, and when the server stops', async () => {
    answer = () => {};
    const request = send().on('error', () => {});
    await eventually('the request', () => signals.length === 1);
    request.destroy();
    await eventually('the signal', () => signals[0]?.aborted);
    send().on('error', () => {});
    await eventually('the next request', () => signals.length === 2);
    expect(signals[1]?.aborted).toBe(false);
    streams.close();
    expect(signals[1]?.aborted).toBe(true);
  });
});
