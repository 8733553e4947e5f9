// Starts the product and a server of pages, and opens its page in Chromium: as http://localhost, an origin that may call the
// API, and as http://127.0.0.1, another one that may not.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { SCRATCH: folder } = process.env;
const LIMIT_MS = Math.ceil(120_000 * Number(process.env.TIME_FACTOR ?? 1));

let input = {};
let settle = () => {};
const script = await readFile(new URL('browser-page.js', import.meta.url), 'utf8');
const escapeAttribute = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const pages = createServer(async (request, response) => {
  if (request.method === 'POST') {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end();
    return settle(JSON.parse(body));
  }
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><link rel="icon" href="data:,"><body><script data-input="${escapeAttribute(JSON.stringify(input))}">${script}</script>`);
}).listen(0, '127.0.0.1');
await once(pages, 'listening');
const { port } = pages.address();

const children = [];
const start = (command, args, env = {}, errors = 'inherit') => {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', errors] });
  children.push(child);
  return child;
};

const product = start(process.execPath, ['scripts/start.mjs', '--no-sample'], { PORT: '0', LOG_LEVEL: 'warn', PARLANCE_DATA: join(folder, 'data'), SPEECH_ENGINE_URL: 'fixture:', CORS_ORIGINS: `http://localhost:${port}` });
let failed = 0;
let passed = 0;
try {
  const api = await urlOf(product);
  input = await prepare(api);
  for (const host of ['localhost', '127.0.0.1']) {
    for (const [name, result] of Object.entries(await open(`http://${host}:${port}/`))) {
      if (result === true) passed += 1;
      else failed += 1;
      console.log(`${result === true ? 'ok  ' : 'FAIL'} a page ${name}${result === true ? '' : `: ${result}`}`);
    }
  }
} catch (error) {
  failed += 1;
  console.log(`FAIL ${error.stack}`);
} finally {
  for (const child of children) child.kill();
  pages.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

async function urlOf(child) {
  let text = '';
  for await (const chunk of child.stdout) {
    text += chunk;
    const [, url] = /is ready at (http:[^ \n]+)/.exec(text) ?? [];
    if (url !== undefined) {
      child.stdout.resume();
      return url;
    }
  }
  throw new Error(`the product did not start: ${text}`);
}

/** A job that is done, and what a server would hand to its pages. */
async function prepare(api) {
  const key = (await readFile(join(folder, 'data', 'api-key'), 'utf8')).trim();
  const call = async (method, path, body, headers = { 'content-type': 'application/json' }) => {
    const response = await fetch(`${api}/api/v1${path}`, { method, body, headers: { authorization: `Bearer ${key}`, ...headers } });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.status === 204 ? {} : response.json();
  };
  const form = new FormData();
  form.append('file', new Blob([await readFile('samples/meeting.mp3')]), 'meeting.mp3');
  const { job_id: jobId } = await call('POST', '/transcriptions', form, {});
  for (let status = ''; status !== 'completed'; ) ({ status } = await call('GET', `/transcriptions/${jobId}?wait=5&include=none`));
  const token = (scopes) => call('POST', '/tokens', JSON.stringify({ job_id: jobId, scopes }));
  const revoked = await token(['transcriptions:read']);
  await call('DELETE', `/tokens/${revoked.token_id}`);
  const { token: own } = await token(['transcriptions:read', 'transcriptions:write']);
  return { api, jobId, token: own, expired: revoked.token };
}

/** Opens the page in a Chromium of its own. @returns the results that it sends */
async function open(url) {
  const results = new Promise((resolve) => (settle = resolve));
  const browser = start('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-background-networking', `--user-data-dir=${join(folder, `profile-${Math.random()}`)}`, url], {}, 'ignore');
  browser.stdout.resume();
  const limit = sleep(LIMIT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error(`Chromium did not report within ${LIMIT_MS / 1000} s`)));
  try {
    return await Promise.race([results, limit]);
  } finally {
    browser.kill();
  }
}
