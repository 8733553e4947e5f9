import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { serveInTurns } from './request-turns.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  servers.push(server);
  serveInTurns(server, 'connection');
  server.on('connect', (_request, socket) => socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Writes the parts, ends its side, and returns all that comes back. */
async function exchange(server: Server, parts: readonly (string | Buffer)[], ends = true): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  await once(socket, 'connect');
  for (const part of parts) {
    socket.write(part);
    await nextTurn();
  }
  if (ends) socket.end();
  await once(socket, 'close');
  return text;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const bytes of request) text += String(bytes);
  return text;
}

/** Answers with what it was asked. */
const echo: RequestListener = (request, response) => {
  void bodyOf(request).then((body) => response.end(`<${request.url}=${body}>`));
};
const answersIn = (text: string): string[] => [...text.matchAll(/<(.*?)>/gs)].map(([, answer]) => answer ?? '');

const shape = fc.record({ kind: fc.constantFrom('get', 'length', 'chunked'), body: fc.constantFrom('', 'a', '\r\n\r\n', 'x\r\n\r\ny\r\n', 'b'.repeat(70_000)) });
const textOf = ({ kind, body }: { kind: string; body: string }, index: number): string => {
  if (kind === 'get') return `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`;
  if (kind === 'length') return `POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  return `POST /${index} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`;
};

describe('requests of one connection', () => {
  it('are all answered in order, however they are pipelined and cut into packets', async () => {
    const server = await serve(echo);
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), async (shapes, places) => {
        const text = shapes.map(textOf).join('');
        const cuts = [0, ...places.map((place) => place % text.length).toSorted((one, other) => one - other), text.length];
        const parts = cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut));
        const expected = shapes.map(({ kind, body }, index) => `/${index}=${kind === 'get' ? '' : body}`);
        const last = `GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
        expect(answersIn(await exchange(server, [...parts, last], false))).toEqual([...expected, '/end=']);
      }),
      { numRuns: 60 },
    );
  });

  it('begin one in a turn of the event loop, and a request with a body beside its predecessor at most', async () => {
    let begun = 0;
    let most = 0;
    let unanswered = 0;
    let mostUnanswered = 0;
    const server = await serve((request, response) => {
      if (begun++ === 0) setImmediate(() => (begun = 0));
      unanswered++;
      response.once('close', () => unanswered--);
      [most, mostUnanswered] = [Math.max(most, begun), Math.max(mostUnanswered, unanswered)];
      echo(request, response);
    });
    const gets = Array.from({ length: 1500 }, (_, index) => textOf({ kind: 'get', body: '' }, index)).join('');
    const posts = Array.from({ length: 300 }, (_, index) => textOf({ kind: index % 2 === 0 ? 'length' : 'chunked', body: 'abc' }, index)).join('');
    for (const [text, count] of [[gets, 1500], [posts, 300]] as const) {
      const answers = answersIn(await exchange(server, [text, 'GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], false));
      expect(answers).toHaveLength(count + 1);
    }
    expect(most).toBeLessThanOrEqual(2);
    expect(mostUnanswered).toBeLessThanOrEqual(2);
  });

  it('that a client refuses to take the answers of are not read on', async () => {
    let begun = 0;
    const server = await serve((_request, response) => {
      begun++;
      response.end('x'.repeat(1_000_000));
    });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60));
    let before = -1;
    for (let quietTurns = 0; quietTurns < 200; quietTurns = begun === before ? quietTurns + 1 : 0) {
      before = begun;
      await nextTurn();
    }
    expect(begun).toBeGreaterThan(0);
    expect(begun).toBeLessThan(30);
    const received = new Promise<number>((resolve) => {
      let bytes = 0;
      socket.on('data', ({ length }: Buffer) => (bytes += length) >= 60_000_000 && resolve(bytes));
    });
    socket.resume();
    expect(await received).toBeGreaterThan(60_000_000);
    expect(begun).toBe(60);
    socket.destroy();
  });

  it('of many connections that take 3 ms each begin in several turns, those that waited first', async () => {
    let begun = 0;
    let most = 0;
    const order: string[] = [];
    const server = await serve(({ url }, response) => {
      if (begun++ === 0) setImmediate(() => (begun = 0));
      most = Math.max(most, begun);
      order.push(url ?? '');
      for (const start = performance.now(); performance.now() - start < 3; );
      response.end(`<${url}>`);
    });
    const text = (index: number) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const last = 'GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const all = await Promise.all(Array.from({ length: 20 }, () => exchange(server, [`${text(1)}${text(2)}${last}`], false)));
    for (const each of all) expect(answersIn(each)).toEqual(['/1', '/2', '/end']);
    expect(most).toBeLessThanOrEqual(5);
    // Every first one before the last third.
    expect(order.lastIndexOf('/1')).toBeLessThan(order.lastIndexOf('/end'));
  });

  it('after a CONNECT are not parsed', async () => {
    const server = await serve(echo);
    expect(await exchange(server, ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nGET /1 HTTP/1.1\r\nHost: a\r\n\r\n'])).toMatch(/^HTTP\/1.1 405/);
    expect(answersIn(await exchange(server, ['GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']))).toEqual(['/2=']);
  });
});
