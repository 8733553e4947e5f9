// Starts a speech model of each kind in a process that has no free descriptor, and prints the codes of the outages.
import { execFileSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { outageOf } from '@parlance/platform';
import { RunningPocketsphinx } from '../dist/speech/pocketsphinx/run-pocketsphinx.js';
import { SherpaProcess } from '../dist/local-models/sherpa-process.js';

const never = new AbortController().signal;
const LIMIT = 40;
execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${LIMIT}:`]);
const opened = [];
try {
  for (;;) opened.push(openSync('/dev/null'));
} catch {
  // Every descriptor is in use.
}
const attempts = [() => new SherpaProcess(new URL('./obedient-worker.mjs', import.meta.url), {}, 'the model').ask({}, never), () => new RunningPocketsphinx('pocketsphinx_batch', []).decode([], never)];
const codes = [];
for (const attempt of attempts) codes.push(await attempt().then(() => undefined, (error) => outageOf(error)?.code ?? String(error)));
console.log(JSON.stringify(codes));
