import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { quantile } from '../table.mjs';

const ROUNDS = { smoke: 1, quick: 3, full: 9 };
const TARGET_SECONDS = 3;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** From typing `npm start` to a server that answers, on a data folder that is there, against the first start on an empty one. */
export async function start(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-'));
  try {
    const first = await secondsToReady(folder);
    const later = [];
    for (let round = 0; round < ROUNDS[size]; round += 1) later.push(await secondsToReady(folder));
    later.sort((a, b) => a - b);
    const median = quantile(later, 0.5);
    return [
      {
        name: 'npm start until it is ready, the second time',
        measured: `median ${median.toFixed(2)} s, most ${later.at(-1).toFixed(2)} s`,
        baseline: `the first: ${first.toFixed(2)} s`,
        ratio: '',
        target: `≤ ${TARGET_SECONDS} s`,
        met: median <= TARGET_SECONDS,
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function secondsToReady(folder) {
  const started = performance.now();
  const npm = spawn('npm', ['start', '--', '--no-sample'], { cwd: root, env: { ...process.env, PARLANCE_DATA: join(folder, 'data'), PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: npm.stdout })) {
    const url = /ready at (http:\/\/[^\s)]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    const { ok } = await fetch(`${url}/health/ready`);
    const seconds = (performance.now() - started) / 1000;
    // npm does not hand the signal on; what it started ends by itself when npm has, and closes the pipe then.
    npm.stdout.resume();
    npm.kill('SIGTERM');
    await once(npm, 'close');
    if (!ok) throw new Error('it says that it is ready, and is not');
    return seconds;
  }
  throw new Error('npm start ended without getting ready');
}
