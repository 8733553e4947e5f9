// Opens the page of live sessions in Chromium, whose microphone plays a recording, and checks the page and the job that it makes.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ParlanceProcess } from '@parlance/testing';
import { BrowserPage } from './devtools.mjs';

const { SCRATCH: folder } = process.env;
const wav = join(folder, 'speech.wav');
// Silence after it, so that the microphone is still open when the last utterance ends.
execFileSync('ffmpeg', ['-v', 'error', '-i', 'samples/reading.flac', '-af', 'apad=pad_dur=4', '-ac', '1', '-ar', '48000', wav]);
/** Of 48,000 samples of two bytes a second. */
const PLAYED_MS = statSync(wav).size / 96;

/** The product has this port again after a restart. It is below the ports that the kernel gives to outgoing connections, and above those of other tests. */
const PORT = '27301';
const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'warn', PORT } });
const shown = `[...document.querySelectorAll('#transcript p')].map(({ textContent }) => textContent)`;

const CHECKS = {
  'shows what is said, and ends as a job with the same words': () => session(async () => undefined),
  'goes on after the server was killed': () =>
    session(async (page) => {
      await parlance.kill();
      await parlance.restart({ PORT });
    }),
  'is the only one that gets the microphone': async () => {
    const page = await BrowserPage.open(`${parlance.api.url}/`, { folder, wav });
    try {
      const refused = await page.evaluate(`navigator.mediaDevices.getUserMedia({ audio: true }).then(() => 'given', ({ name }) => name)`);
      return refused === 'NotAllowedError' || refused;
    } finally {
      page.close();
    }
  },
};

/** Listens to the whole recording. @returns true, or what is wrong */
async function session(disturb) {
  const page = await BrowserPage.open(`${parlance.api.url}/live`, { folder, wav });
  try {
    await page.evaluate(`document.getElementById('key').value = ${JSON.stringify(parlance.api.apiKey)}; document.getElementById('start').click()`);
    await page.until(`document.getElementById('partial').textContent !== '' || ${shown}.length > 0`);
    const openedBefore = performance.now();
    await disturb(page);
    // While the server is away, nothing changes in the page either.
    await sleep(Math.max(0, openedBefore + PLAYED_MS - performance.now()));
    // The last words of the recording have been final for two seconds.
    await page.until(`new Promise((resolve) => { const before = ${shown}.length; setTimeout(() => resolve(before > 0 && ${shown}.length === before && document.getElementById('partial').textContent === ''), 3000); })`);
    await page.evaluate(`document.getElementById('stop').click()`);
    await page.until(`['completed', 'failed', 'canceled'].includes(document.getElementById('status').textContent) || document.getElementById('message').textContent !== ''`);
    return await verdict(page);
  } catch (error) {
    throw new Error(`${error.message}; the page: ${await page.evaluate('document.body.innerText')}`, { cause: error });
  } finally {
    page.close();
  }
}

async function verdict(page) {
  const [status, message, jobId, lines] = await page.evaluate(`[...['status', 'message', 'job'].map((id) => document.getElementById(id).textContent), ${shown}]`);
  if (status !== 'completed') return `${status} ${message}`;
  const { kind, transcript } = await parlance.api.job(jobId);
  const words = (text) => text.toLowerCase().match(/[a-z']+/g) ?? [];
  const said = words(lines.map((line) => line.replace(/^[\d:]+ /, '')).join(' '));
  const kept = words(transcript.text);
  if (kept.length < 10 || said.join(' ') !== kept.join(' ')) return `the page: ${said.join(' ')}; the job: ${kept.join(' ')}`;
  return kind === 'live' || `kind: ${kind}`;
}

let passed = 0;
let failed = 0;
try {
  for (const [name, check] of Object.entries(CHECKS)) {
    const result = await check().catch((error) => error.stack);
    if (result === true) passed += 1;
    else failed += 1;
    console.log(`${result === true ? 'ok  ' : 'FAIL'} the page ${name}${result === true ? '' : `: ${result}`}`);
  }
} finally {
  await parlance.dispose();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
