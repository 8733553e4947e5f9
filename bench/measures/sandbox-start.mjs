import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const { createMediaSandbox } = await import(new URL('../../apps/ingest/dist/media/sandbox.js', import.meta.url));
const ROUNDS = { smoke: 5, quick: 50, full: 300 };

/** Measures what isolation adds to the run of an empty program: alternately with and without it, by the fastest of each, which other work disturbs least. */
export async function sandboxStart(size) {
  const scratchFolder = mkdtempSync(join(tmpdir(), 'parlance-sandbox-start-'));
  try {
    mkdirSync(join(scratchFolder, 'bin'));
    symlinkSync('/bin/true', join(scratchFolder, 'bin', 'ffprobe'));
    const path = [join(scratchFolder, 'bin'), process.env.PATH].join(delimiter);
    const log = { info() {}, warn() {} };
    const [limits, best] = ['limits', 'auto'].map((mode) => createMediaSandbox({ scratchFolder, log, mode, path }));
    const taken = new Map([[limits, []], [best, []]]);
    for (let round = 0; round < (ROUNDS[size] ?? ROUNDS.quick); round += 1) {
      for (const [sandbox, times] of taken) times.push(await timeOf(sandbox));
    }
    const [before, after] = [limits, best].map((sandbox) => Math.min(...taken.get(sandbox)));
    return [{ name: `start of a media tool, ${best.level}`, measured: `${after.toFixed(1)} ms`, baseline: `${before.toFixed(1)} ms`, ratio: (after / before).toFixed(2), target: '+ ≤ 5 ms', met: after - before <= 5 }];
  } finally {
    rmSync(scratchFolder, { recursive: true });
  }
}

async function timeOf(sandbox) {
  const begun = performance.now();
  const run = await sandbox.run('ffprobe', [], { file: '/dev/null', signal: new AbortController().signal });
  for await (const piece of run.stdout) void piece;
  const end = await run.end;
  if (end.code !== 0) throw new Error(end.stderr);
  return performance.now() - begun;
}
