import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { serveInTurns } from './request-turns.js';

const END = 'GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

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

it('a server with two listeners for requests is refused: one of them would not wait for its turn', () => {
  const server = createServer(echo).on('request', () => {});
  expect(() => serveInTurns(server, 'connection')).toThrow('needs one listener');
});

describe('requests of one connection', () => {
  it('are all answered in order, however they are pipelined and cut into packets', async () => {
    const server = await serve(echo);
    await fc.assert(
      fc.asyncProperty(fc.array(shape, { minLength: 1, maxLength: 12 }), fc.array(fc.nat(), { maxLength: 6 }), async (shapes, places) => {
        const text = shapes.map(textOf).join('');
        const cuts = [0, ...places.map((place) => place % text.length).toSorted((one, other) => one - other), text.length];
        const parts = cuts.slice(1).map((cut, index) => text.slice(cuts[index], cut));
        const expected = shapes.map(({ kind, body }, index) => `/${index}=${kind === 'get' ? '' : body}`);
        expect(answersIn(await exchange(server, [...parts, END], false))).toEqual([...expected, '/end=']);
      }),
      { numRuns: 60 },
    );
  });

  it('are at work one at a time', async () => {
    let unanswered = 0;
    let mostUnanswered = 0;
    const server = await serve((request, response) => {
      unanswered++;
      response.once('finish', () => unanswered--);
      mostUnanswered = Math.max(mostUnanswered, unanswered);
      echo(request, response);
    });
    const gets = Array.from({ length: 1500 }, (_, index) => textOf({ kind: 'get', body: '' }, index)).join('');
    const posts = Array.from({ length: 300 }, (_, index) => textOf({ kind: index % 2 === 0 ? 'length' : 'chunked', body: 'abc' }, index)).join('');
    for (const [text, count] of [[gets, 1500], [posts, 300]] as const) {
      const answers = answersIn(await exchange(server, [text, END], false));
      expect(answers).toHaveLength(count + 1);
    }
    expect(mostUnanswered).toBe(1);
  });

  it('are parsed in several turns, however many arrive at once', async () => {
    let parsed = 0;
    let most = 0;
    const server = await serve(echo);
    server.prependListener('request', () => {
      if (parsed++ === 0) setImmediate(() => (parsed = 0));
      most = Math.max(most, parsed);
    });
    const text = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2500);
    await Promise.all(Array.from({ length: 6 }, () => exchange(server, [text, END], false)));
    // Between two looks, two turns can meet; 600 requests are in the slice that exceeds the limit of 500.
    expect(most).toBeLessThan(2 * (500 + 600));
  });

  it('whose body is not read do not fill the memory while other connections are busy', async () => {
    const connections: Socket[] = [];
    const server = await serve(({ method }, response) => {
      if (method === 'POST') return;
      for (const start = performance.now(); performance.now() - start < 3; );
      response.end('<>');
    });
    server.on('connection', (socket: Socket) => connections.push(socket));
    const upload = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(upload, 'connect');
    upload.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 30000000\r\n\r\n');
    upload.write(Buffer.alloc(30_000_000 - 1));
    const others = Array.from({ length: 5 }, () => exchange(server, ['GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(30), END], false));
    await Promise.all(others);
    expect(connections[0]?.bytesRead).toBeLessThan(1_000_000);
    upload.destroy();
  });

  it('that have arrived are answered when the server closes', async () => {
    const server = await serve((_request, response) => {
      for (const start = performance.now(); performance.now() - start < 4; );
      response.end('<done>');
    });
    const sockets = Array.from({ length: 20 }, () => connect((server.address() as AddressInfo).port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    let arrived = 0;
    const allArrived = new Promise<void>((resolve) => server.prependListener('request', () => ++arrived === sockets.length && resolve()));
    const answers = sockets.map(async (socket) => {
      let text = '';
      socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      await once(socket, 'close');
      return answersIn(text);
    });
    await allArrived;
    server.close();
    const sweep = setInterval(() => server.closeIdleConnections());
    expect(await Promise.all(answers)).toEqual(sockets.map(() => ['done']));
    clearInterval(sweep);
  });

  it('that a client refuses to take the answers of are not read on', async () => {
    let begun = 0;
    const first = Promise.withResolvers<void>();
    const server = await serve((_request, response) => {
      begun++;
      first.resolve();
      response.end('x'.repeat(1_000_000));
    });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(socket, 'connect');
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(60));
    await first.promise;
    let before = -1;
    for (let quietTurns = 0; quietTurns < 200; quietTurns = begun === before ? quietTurns + 1 : 0) {
      before = begun;
      await nextTurn();
    }
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

  it('of many connections that take 3 ms each begin in several turns', async () => {
    let begun = 0;
    let most = 0;
    const server = await serve(({ url }, response) => {
      if (begun++ === 0) setImmediate(() => (begun = 0));
      most = Math.max(most, begun);
      for (const start = performance.now(); performance.now() - start < 3; );
      response.end(`<${url}>`);
    });
    const text = (index: number) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`;
    const all = await Promise.all(Array.from({ length: 20 }, () => exchange(server, [`${text(1)}${text(2)}${END}`], false)));
    for (const each of all) expect(answersIn(each)).toEqual(['/1', '/2', '/end']);
    // Four in 10 ms, and between two looks two turns can meet.
    expect(most).toBeLessThanOrEqual(8);
  });

  it('after a CONNECT are not parsed', async () => {
    const server = await serve(echo);
    expect(await exchange(server, ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\nGET /1 HTTP/1.1\r\nHost: a\r\n\r\n'])).toMatch(/^HTTP\/1.1 405/);
    expect(answersIn(await exchange(server, ['GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']))).toEqual(['/2=']);
  });
});
