// Runs the scenario of .ci/runtimes in Deno, Bun, workerd and Chromium against one running product, with the package that was installed
// into the folder SCRATCH. TOOLS has the runtimes.
import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ParlanceProcess } from '@parlance/testing';
import { BrowserPage } from './devtools.mjs';

const { SCRATCH: folder, TOOLS: tools } = process.env;
/** A guard against hanging, far above what it takes. */
const LIMIT_MS = Math.ceil(240_000 * Number(process.env.TIME_FACTOR ?? 1));
const TYPES = { '.js': 'text/javascript', '.html': 'text/html', '.json': 'application/json' };
const run = promisify(execFile);

let pageSettings = {};
const pages = createServer(async (request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  if (path.startsWith('/silent/')) return; // a server that takes requests and never answers
  const type = TYPES[/\.\w+$/.exec(path)?.[0]] ?? 'application/octet-stream';
  const body = path === '/settings.json' ? JSON.stringify(pageSettings) : await readFile(join(folder, path)).catch(() => undefined);
  response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
});
await once(pages.listen(0, '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${pages.address().port}`;

const parlance = await ParlanceProcess.start({ env: { LOG_LEVEL: 'error', SPEECH_ENGINE_URL: 'fixture:', CORS_ORIGINS: origin } });

const RUNTIMES = {
  Deno: () => program('Deno', `${tools}/@deno/linux-x64-glibc/deno`, ['run', '--no-prompt', '--allow-net=127.0.0.1', '--allow-env=SETTINGS', `--allow-read=${folder}`, 'program.js']),
  Bun: () => program('Bun', `${tools}/@oven/bun-linux-x64/bin/bun`, ['run', '--no-install', 'program.js']),
  workerd: async () => {
    await run(`${tools}/.bin/esbuild`, ['worker.js', '--bundle', '--format=esm', '--conditions=workerd', '--external:./meeting.*', '--outfile=worker.bundle.js', '--log-level=warning'], { cwd: folder });
    return program('workerd', `${tools}/@cloudflare/workerd-linux-64/bin/workerd`, ['test', 'worker.capnp']);
  },
  Chromium: browser,
};

function settingsFor(runtime) {
  const body = JSON.stringify({ type: 'transcription.completed', data: { job_id: 'job_1' } });
  const key = randomBytes(24);
  const time = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`evt_1.${time}.${body}`).digest('base64');
  const webhook = { body, secret: `whsec_${key.toString('base64')}`, headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': String(time), 'webhook-signature': `v1,${signature}` } };
  // Browsers send streams by HTTP/2 alone.
  return { runtime, baseUrl: parlance.api.url, silentUrl: `${origin}/silent`, apiKey: parlance.api.apiKey, webhook, sendsStreams: runtime !== 'Chromium' };
}

/** Runs a program that prints its results. */
async function program(runtime, command, args) {
  const env = { PATH: process.env.PATH, HOME: folder, DENO_NO_UPDATE_CHECK: '1', SETTINGS: JSON.stringify(settingsFor(runtime)) };
  const { stdout, stderr } = await run(command, args, { cwd: folder, env, timeout: LIMIT_MS, maxBuffer: 10_000_000 });
  const results = /RESULTS (\{.*\})/.exec(stdout + stderr)?.[1];
  if (results === undefined) throw new Error(`no results: ${stdout}${stderr}`);
  return JSON.parse(results);
}

async function browser() {
  pageSettings = settingsFor('Chromium');
  const page = await BrowserPage.open(`${origin}/page.html`, { folder, wav: '/dev/null' });
  try {
    await page.until(`document.title === 'started'`);
    return await page.evaluate('window.results');
  } finally {
    page.close();
  }
}

let passed = 0;
let failed = 0;
const count = (name, result) => {
  if (result === true) passed += 1;
  else failed += 1;
  console.log(`${result === true ? 'ok  ' : 'FAIL'} ${name}${result === true ? '' : `: ${typeof result === 'string' ? result : JSON.stringify(result)}`}`);
};
try {
  // At the same time: most of it is waiting for the product.
  const ended = Object.entries(RUNTIMES).map(async ([runtime, results]) => [runtime, await results().catch((error) => ({ runs: error.stack }))]);
  for (const [runtime, results] of await Promise.all(ended)) for (const [name, result] of Object.entries(results)) count(`${runtime} ${name}`, result);
} finally {
  await parlance.dispose();
  pages.close();
  pages.closeAllConnections();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
