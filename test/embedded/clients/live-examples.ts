import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { reservePort } from '@parlance/platform/contract';
import { SAMPLES } from '@parlance/testing';
import { product } from '../../system/fixture-engine/product.js';

const FFMPEG = ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.reading.path, '-f', 's16le', '-ar', '16000', '-ac', '1', '-'];

/** Clients of examples/live: the one in Python runs where LIVE_PYTHON names an interpreter with its packages, as in `.ci/parts/live-python`. */
const EXAMPLES: [string, string | undefined, string][] = [
  ['JavaScript', process.execPath, 'examples/live/transcribe.mjs'],
  ['Python', process.env['LIVE_PYTHON'], 'examples/live/transcribe.py'],
];

/** Bytes of the client after which its server goes away. */
const CUT_AFTER_BYTES = 100_000;
/** Longer than both clients pause, so that they are refused at least once. */
const AWAY_MS = 1000;

/** A server in front of the product that goes away once in the middle of the audio, and comes back on its port. */
async function interruptedServer(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let received = 0;
  let interruptions = 0;
  const server = createServer((client) => {
    const product = connect(Number(target.port), target.hostname);
    for (const [from, to] of [[client, product], [product, client]] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy()).pipe(to);
    }
    client.on('data', (bytes) => {
      received += bytes.length;
      if (received > CUT_AFTER_BYTES && interruptions === 0) interrupt();
    });
  });
  const port = await reservePort();
  const listen = () => server.listen(port, '127.0.0.1');
  await once(listen(), 'listening');
  const interrupt = () => {
    interruptions += 1;
    server.close();
    for (const socket of sockets) socket.destroy();
    setTimeout(listen, AWAY_MS);
  };
  return { url: `http://127.0.0.1:${port}`, interruptions: () => interruptions, [Symbol.dispose]: () => void server.close() };
}

describe.each(EXAMPLES.filter(([, program]) => program))('the example of a live client in %s', (_language, program = '', path = '') => {
  it('prints what is said, and a job that has it', async () => {
    const api = await (await product()).newAccount();
    const audio = spawn('ffmpeg', FFMPEG, { stdio: ['ignore', 'pipe', 'inherit'] });
    const client = spawn(program, [path], { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, PARLANCE_URL: api.url, PARLANCE_API_KEY: api.apiKey } });
    const [output, [code]] = await Promise.all([text(client.stdout), once(client, 'exit'), pipeline(audio.stdout, client.stdin)]);
    const lines = output.trim().split('\n');
    const job = await api.terminal(lines.at(-1) ?? '');
    expect([code, job.status]).toEqual([0, 'completed']);
    const said = lines.slice(0, -1).map((line) => line.replace(/^[\d.]+ /, ''));
    expect(said.length).toBeGreaterThan(0);
    expect(job.transcript?.text.toLowerCase().split(/\s+/)).toEqual(said.join(' ').toLowerCase().split(/\s+/));
  });

  it('continues with a server that was away, and loses nothing', async () => {
    const api = await (await product()).newAccount();
    using server = await interruptedServer(api.url);
    const audio = spawn('ffmpeg', FFMPEG, { stdio: ['ignore', 'pipe', 'inherit'] });
    let sentBytes = 0;
    audio.stdout.on('data', (bytes: Buffer) => (sentBytes += bytes.length));
    const client = spawn(program, [path], { stdio: ['pipe', 'pipe', 'ignore'], env: { ...process.env, PARLANCE_URL: server.url, PARLANCE_API_KEY: api.apiKey } });
    const [output, [code]] = await Promise.all([text(client.stdout), once(client, 'exit'), pipeline(audio.stdout, client.stdin).catch(() => {})]);
    expect([code, server.interruptions()]).toEqual([0, 1]);
    const job = await api.terminal(output.trim().split('\n').at(-1) ?? '');
    expect(job).toMatchObject({ status: 'completed', media: { duration: sentBytes / 32_000 } });
  });
});
