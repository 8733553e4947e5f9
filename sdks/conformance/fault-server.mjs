// Plays the cases of cases/*.json and live-cases/*.json, faults included, to the client of any language. Prints its address.
//   node fault-server.mjs [--port 0]
// POST /control/runs {"case": "name"} answers {"run", "base_url"}; GET /control/runs/{run} answers {"faults": […]}.
import { createServer, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { answer } from './fault-server/answer.mjs';
import { readCases } from './fault-server/cases.mjs';
import { faultsOf } from './fault-server/expectation.mjs';
import { playSocket } from './fault-server/scripted-socket.mjs';

/** Time that the script of a connection has after the client is done: only a failure takes it. */
const SCRIPT_END_MS = 15_000;

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const cases = await readCases('cases');
const liveCases = await readCases('live-cases');
const runs = new Map();

const server = createServer((request, response) => {
  handle(request, response).catch((error) => response.destroy(error));
});
server.on('upgrade', (request, socket, head) => {
  connect(request, socket, head).catch((error) => socket.destroy(error));
});
// A client that keeps a connection open would otherwise have it closed within a case.
server.keepAliveTimeout = 60_000;
await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`${origin}\n`);

async function handle(request, response) {
  const [, area, name, ...rest] = new URL(request.url, origin).pathname.split('/');
  if (area === 'control' && request.method === 'POST') return send(response, 201, begin(JSON.parse((await bodyOf(request)).toString())));
  if (area === 'control' && name === 'runs') return send(response, 200, await report(rest[0]));
  if (area === 'control') return send(response, 200, [...cases.values()]);
  return play(runs.get(name), `/${rest.join('/')}`, request, response);
}

function begin({ case: name }) {
  const played = cases.get(name) ?? liveCases.get(name);
  if (!played) throw new Error(`There is no case ${name}.`);
  const run = `r${runs.size + 1}`;
  runs.set(run, { exchanges: played.exchanges ?? [], at: 0, faults: [], firsts: {}, scripts: [] });
  return { run, base_url: `${origin}/runs/${run}` };
}

async function report(name) {
  const { exchanges, at, faults, scripts } = runs.get(name);
  const isEnded = await Promise.race([Promise.all(scripts).then(() => true), pause(SCRIPT_END_MS, false, { ref: false })]);
  if (!isEnded) faults.push('a connection is open that still expects something');
  const missing = exchanges.slice(at).map(({ request: { method, path } }) => `no request ${method} ${path} came`);
  return { faults: [...faults, ...missing] };
}

/** Compares the request with the next one of the case, and gives its answer. */
async function play(run, path, request, response) {
  const exchange = nextOf(run, path, request, await bodyOf(request));
  if (exchange?.answer) return answer(exchange.answer, request, response);
  return send(response, 500, { code: 'unexpected', retryable: false, detail: 'The case does not expect this request.' });
}

/** The same for a WebSocket, which the case accepts by a script or refuses by an answer. */
async function connect(request, socket, head) {
  const [, , name, ...rest] = new URL(request.url, origin).pathname.split('/');
  const run = runs.get(name);
  const exchange = nextOf(run, `/${rest.join('/')}`, request, Buffer.alloc(0));
  if (exchange?.socket) {
    const script = playSocket(exchange.socket, { request, socket, head });
    run.scripts.push(script);
    run.faults.push(...(await script).map((fault) => `connection ${run.scripts.indexOf(script) + 1}: ${fault}`));
    return undefined;
  }
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  response.on('finish', () => socket.end());
  return exchange ? answer(exchange.answer, request, response) : send(response, 500, {});
}

function nextOf(run, path, request, body) {
  const exchange = run.exchanges[run.at++];
  if (exchange) run.faults.push(...faultsOf(exchange.request, { request, path, body }, run.firsts).map((fault) => `request ${run.at}: ${fault}`));
  else run.faults.push(`a request more than expected: ${request.method} ${path}`);
  return exchange;
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
