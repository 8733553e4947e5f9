// Reads jobs and transcripts through the gateway's Service while a server is away from all pods, and asks each pod whether it is ready:
//   node-outage.mjs CHECKS FORWARDER served|refused
//   CHECKS     names in `/health/dependencies` that must see the outage, as a regular expression
//   FORWARDER  process id of the node-forward.mjs before the server
//   served     no read may fail; refused: each is served, or refused by 503 with Retry-After, and served again after the outage
// Environment: GATEWAY, API_KEY, PODS (their addresses), OUTAGE_SECONDS
import { setTimeout as pause } from 'node:timers/promises';

const { GATEWAY, API_KEY, PODS, OUTAGE_SECONDS } = process.env;
const [checks, forwarder, promise] = process.argv.slice(2);
const AFTERWARDS_MS = 2000;
const BACK_WITHIN_MS = 20_000;

async function get(url, headers = {}) {
  const began = performance.now();
  // A connection of its own for each call, as of many callers.
  const answered = await fetch(url, { headers: { connection: 'close', ...headers }, signal: AbortSignal.timeout(60_000) })
    .then(async (response) => ({ status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() }))
    // Of an answer that breaks off as well.
    .catch((error) => ({ status: 0, retryAfter: null, body: `${error.message} ${error.cause?.code ?? error.cause?.message ?? ''}` }));
  return { url, began, ms: performance.now() - began, ...answered };
}
const read = (path) => get(`${GATEWAY}/api/v1${path}`, { authorization: `Bearer ${API_KEY}` });
const askPods = (path) => Promise.all(PODS.split(' ').map((address) => get(`http://${address}:9090${path}`)));

let stopped = false;
async function repeat(pauseMs, ask) {
  const answers = [];
  for (; !stopped; await pause(pauseMs)) answers.push(...(await ask()));
  return answers;
}

function demand(holds, what, evidence = []) {
  for (const { url, status, body } of evidence.slice(0, 5)) console.log(`${url}: ${status} ${body.slice(0, 300)}`);
  if (!holds) throw new Error(`does not hold: ${what}`);
  console.log(`holds: ${what}`);
}

const isServed = ({ status }) => status === 200;
const isRefused = ({ status, retryAfter, body }) => status === 503 && Number(retryAfter) > 0 && JSON.parse(body).code.endsWith('_unavailable');
const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const slowest = (answers) => seconds(Math.max(...answers.map(({ ms }) => ms)));

const completed = await read('/transcriptions?status=completed&limit=1');
const [job] = JSON.parse(completed.body).data ?? [];
if (!job) throw new Error(`an earlier scenario has left no completed job to read: ${completed.body}`);
const paths = [`/transcriptions/${job.job_id}?include=words`, `/transcriptions/${job.job_id}/transcript?format=srt`, '/transcriptions?limit=5'];
const reading = paths.map((path) => repeat(20, async () => [await read(path)]));
const probing = repeat(1000, () => askPods('/health/ready'));
await pause(1000);

process.kill(Number(forwarder), 'SIGUSR2');
// Whatever fails here fails alone: what is checked next has its server again.
process.on('exit', () => process.kill(Number(forwarder), 'SIGHUP'));
await pause(Number(OUTAGE_SECONDS) * 1000);
const states = await askPods('/health/dependencies');
process.kill(Number(forwarder), 'SIGHUP');
const back = performance.now();
for (const path of paths) while (!isServed(await read(path)) && performance.now() - back < BACK_WITHIN_MS) await pause(20);
const backAfterMs = performance.now() - back;
await pause(AFTERWARDS_MS);
stopped = true;

const reads = (await Promise.all(reading)).flat();
const probes = await probing;
const missed = states.flatMap(({ body }) => Object.entries(JSON.parse(body).checks)).filter(([name, outcome]) => outcome !== 'ok' && new RegExp(`^(${checks})$`).test(name));
const unready = probes.filter((probe) => !isServed(probe));
const unserved = reads.filter((answer) => !isServed(answer));
demand(missed.length > 0, `pods see that it is away: ${[...new Set(missed.map(([name]) => name))].join(', ')}`);
demand(unready.length === 0, `all pods stay ready (${probes.length} answers of ${PODS.split(' ').length} pods)`, unready);
if (promise === 'served') {
  demand(unserved.length === 0, `none of ${reads.length} reads failed (${unserved.length} did; the slowest took ${slowest(reads)})`, unserved);
} else {
  const wrong = unserved.filter((answer) => !isRefused(answer));
  // None is refused where each waited until the server was back.
  demand(wrong.length === 0, `${unserved.length} of ${reads.length} reads were refused, all by 503 with Retry-After (the slowest took ${slowest(reads)})`, wrong);
  const late = unserved.filter(({ began }) => began > back + backAfterMs);
  demand(backAfterMs < BACK_WITHIN_MS && late.length === 0, `reads were served ${seconds(backAfterMs)} after it was back, and none failed from then on`, late);
}
