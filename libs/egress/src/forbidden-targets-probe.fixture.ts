/** For tests: run as a program in a network of its own, it tries every forbidden target and counts the connections that arrive. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createEgress, type Egress } from './egress.js';
import { FORBIDDEN_NAMES, FORBIDDEN_RECEIVERS, FORBIDDEN_URLS, OWN_ADDRESS } from './forbidden-targets.fixture.js';
import { scriptedLookup } from './scripted-lookup.fixture.js';

const PORTS = [22, 25, 80, 443, 2375, 6379, 8080, 8443];
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';

let connections = 0;
for (const port of PORTS) {
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).once('data', () => socket.end(ANSWER));
  });
  await once(server.listen(port, '::'), 'listening');
  server.unref();
}

const urls = [...FORBIDDEN_URLS, ...Object.keys(FORBIDDEN_NAMES).flatMap((name) => [`http://${name}/`, `https://${name}:8443/`])];
const post = { method: 'POST' as const, headers: {}, body: '{}', timeoutMs: 1_000, maxBytes: 100 };
const openEgress = (allow: string[]): Egress => createEgress({ allow, lookup: scriptedLookup(FORBIDDEN_NAMES), connectTimeoutMs: 300 });

async function isReached(attempt: Promise<unknown>): Promise<boolean> {
  const before = connections;
  await attempt.catch(() => undefined);
  return connections > before;
}

async function run(egress: Egress) {
  const reached: string[] = [];
  const begun = connections;
  for (const url of urls) if (await isReached(egress.request(url, { method: 'GET', headersTimeoutMs: 300 }))) reached.push(url);
  for (const url of FORBIDDEN_RECEIVERS) if (await isReached(egress.exchange(url, post))) reached.push(`POST ${url}`);
  await egress.close();
  return { tried: urls.length + FORBIDDEN_RECEIVERS.length, connections: connections - begun, reached };
}

const refusal = (url: string) => openEgress([]).request(url, { method: 'GET' }).then(() => 'reached', (error: { code?: string }) => error.code);

const guarded = await run(openEgress([]));
// Node emits a second error of a TLS socket to a multicast address, after undici has stopped listening.
process.on('uncaughtException', () => undefined);
const open = await run(openEgress(['0.0.0.0/0', '::/0']));
const own = {
  refused: [await refusal(`http://${OWN_ADDRESS}/`), await refusal(`http://[::ffff:${OWN_ADDRESS}]:8080/`)],
  allowed: (await openEgress([OWN_ADDRESS]).request(`http://${OWN_ADDRESS}:6379/`, { method: 'GET' })).statusCode,
};
process.stdout.write(JSON.stringify({ guarded, open, own, unreached: urls.filter((url) => !open.reached.includes(url)) }));
process.exit(0);
