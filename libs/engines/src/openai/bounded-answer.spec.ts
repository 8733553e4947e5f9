import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AnswerTooLarge, boundedAnswers } from './bounded-answer.js';

const bounded = boundedAnswers(fetch, 1000);

let server: Server;
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('boundedAnswers', () => {
  it('gives what is as large as the limit, with status and headers', async () => {
    const response = await bounded(await serve((_request, answer) => answer.writeHead(418, { 'x-request-id': '7' }).end('x'.repeat(1000))));
    expect([response.status, response.headers.get('x-request-id'), (await response.text()).length]).toEqual([418, '7', 1000]);
  });

  it('gives an answer that has no body', async () => {
    const response = await bounded(await serve((_request, answer) => answer.writeHead(204).end()));
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it('closes the connection of an answer that has no end', async () => {
    let closed: Promise<void> | undefined;
    const url = await serve((_request, answer) => {
      const more = () => void answer.write('x'.repeat(500), (error) => error ?? more());
      closed = new Promise((resolve) => answer.once('close', resolve));
      more();
    });
    const response = await bounded(url);
    await expect(response.text()).rejects.toBeInstanceOf(AnswerTooLarge);
    await closed;
  });

  it('does not wait for what is announced as too large', async () => {
    const response = await bounded(await serve((_request, answer) => answer.writeHead(200, { 'content-length': '1001' }).write('x')));
    await expect(response.text()).rejects.toBeInstanceOf(AnswerTooLarge);
  });

  it('counts what is unpacked', async () => {
    const packed = gzipSync('x'.repeat(100_000));
    expect(packed.length).toBeLessThan(1000);
    const response = await bounded(await serve((_request, answer) => answer.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed)));
    await expect(response.text()).rejects.toBeInstanceOf(AnswerTooLarge);
  });
});
