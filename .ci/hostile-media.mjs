// In a pod: what a hostile ffmpeg reaches, without isolation and with it. Its program comes on standard input.
// Usage: node --input-type=module -e "$(cat .ci/hostile-media.mjs)" SANDBOX_MODULE < apps/ingest/test/hostile-tool.pl
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { createMediaSandbox } = await import(process.argv[1]);
const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
const at = (name) => join(folder, name);
chmodSync(folder, 0o755);
for (const name of ['bin', 'scratch', 'data']) mkdirSync(at(name));
writeFileSync(at('bin/ffmpeg'), readFileSync(0), { mode: 0o755 });
const secrets = ['key', 'database', 'media', 'victim', 'source'];
const listen = (target) => new Promise((resolve) => { const server = createServer((socket) => socket.destroy()).listen(target, () => resolve(server)); server.unref(); });
const { port } = (await listen({ port: 0, host: '127.0.0.1' })).address();
await listen({ path: at('data/socket') });
const address = /^([0-9a-f]+)-[0-9a-f]+ r/m.exec(readFileSync('/proc/self/maps', 'utf8'))[1];
const log = { info: (fields, text) => console.log(text, JSON.stringify(fields)), warn: (fields, text) => console.log(text ?? fields) };

async function reached(mode) {
  for (const name of secrets) writeFileSync(at(`data/${name}`), 'secret', { mode: 0o644 });
  const facts = { machine: process.arch, parent: process.pid, address, port, port6: port, folder: at('data'), socket: at('data/socket') };
  for (const name of secrets) facts[name] = at(`data/${name}`);
  const sandbox = createMediaSandbox({ scratchFolder: at('scratch'), log, mode, path: `${at('bin')}:${process.env.PATH}` });
  const args = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
  const run = await sandbox.run('ffmpeg', args, { file: at('data/source'), signal: new AbortController().signal });
  let text = '';
  for await (const piece of run.stdout) text += Buffer.from(piece).toString();
  await run.end;
  const lines = text.trim().split('\n');
  if (lines.pop() !== 'end') throw new Error(`the hostile tool did not end: ${text}`);
  return lines;
}

const without = await reached('limits');
const within = await reached('require');
console.log(`without isolation: ${without.join(', ')}`);
console.log(`in isolation: ${within.join(', ') || 'nothing'}`);
console.log(`holds: ${without.length} ways out succeed without isolation, ${within.length} in it`);
process.exitCode = without.length >= 12 && within.length === 0 ? 0 : 1;
