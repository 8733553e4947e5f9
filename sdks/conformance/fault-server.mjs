// Plays the cases of cases/*.json, faults included, to the client of any language. Prints its address.
//   node fault-server.mjs [--port 0]
// POST /control/runs {"case": "name"} answers {"run", "base_url"}; GET /control/runs/{run} answers {"faults": […]}.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { answer } from './fault-server/answer.mjs';
import { readCases } from './fault-server/cases.mjs';
import { faultsOf } from './fault-server/expectation.mjs';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const cases = await readCases();
const runs = new Map();

const server = createServer((request, response) => {
  handle(request, response).catch((error) => response.destroy(error));
});
// A client that keeps a connection open would otherwise have it closed within a case.
server.keepAliveTimeout = 60_000;
await once(server.listen(Number(values.port), '127.0.0.1'), 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;
process.stdout.write(`${origin}\n`);

async function handle(request, response) {
  const [, area, name, ...rest] = new URL(request.url, origin).pathname.split('/');
  if (area === 'control' && request.method === 'POST') return send(response, 201, begin(JSON.parse((await bodyOf(request)).toString())));
  if (area === 'control' && name === 'runs') return send(response, 200, report(rest[0]));
  if (area === 'control') return send(response, 200, [...cases.values()]);
  return play(runs.get(name), `/${rest.join('/')}`, request, response);
}

function begin({ case: name }) {
  const played = cases.get(name);
  if (!played) throw new Error(`There is no case ${name}.`);
  const run = `r${runs.size + 1}`;
  runs.set(run, { exchanges: played.exchanges ?? [], at: 0, faults: [], firsts: {} });
  return { run, base_url: `${origin}/runs/${run}` };
}

function report(name) {
  const { exchanges, at, faults } = runs.get(name);
  const missing = exchanges.slice(at).map(({ request: { method, path } }) => `no request ${method} ${path} came`);
  return { faults: [...faults, ...missing] };
}

/** Compares the request with the next one of the case, and gives its answer. */
async function play(run, path, request, response) {
  const exchange = run.exchanges[run.at++];
  if (!exchange) {
    run.faults.push(`a request more than expected: ${request.method} ${path}`);
    return send(response, 500, { code: 'unexpected', retryable: false, detail: 'The case has no further request.' });
  }
  const body = await bodyOf(request);
  run.faults.push(...faultsOf(exchange.request, { request, path, body }, run.firsts).map((fault) => `request ${run.at}: ${fault}`));
  await answer(exchange.answer, request, response);
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function send(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
