import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from '@jest/globals';
import { SAMPLES } from '@parlance/testing';
import { product } from './product.js';

const FFMPEG = ['-nostdin', '-loglevel', 'error', '-i', SAMPLES.reading.path, '-f', 's16le', '-ar', '16000', '-ac', '1', '-'];

/** Clients of examples/live: the one in Python runs where LIVE_PYTHON names an interpreter with its packages, as in `.ci/live-python`. */
const EXAMPLES: [string, string | undefined, string][] = [
  ['JavaScript', process.execPath, 'examples/live/transcribe.mjs'],
  ['Python', process.env['LIVE_PYTHON'], 'examples/live/transcribe.py'],
];

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
});
