// main-thread CPU µs per request: parlance vs bare, in alternating rounds. argv: seconds rounds
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ParlanceProcess } from '@parlance/testing';
import autocannon from 'autocannon';
const seconds = Number(process.argv[2] ?? 4), rounds = Number(process.argv[3] ?? 2);
const cpu = (pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1000;
const media = createServer(() => {}); await new Promise(r => media.listen(0, '127.0.0.1', r));
const bare = fork(fileURLToPath(new URL('bare-route.mjs', import.meta.url)));
const [{ url: bareUrl }] = await once(bare, 'message');
const parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:', LOG_LEVEL: 'warn' } });
const pid = parlance.pid ?? parlance.child?.pid ?? parlance.process?.pid;
const body = JSON.stringify({ audio_url: `http://127.0.0.1:${media.address().port}/a.wav`, language: 'en', metadata: { source: 'bench' } });
async function load(pid, url, headers, duration) {
  const before = cpu(pid);
  const r = await autocannon({ url, method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body, connections: 32, duration });
  if (r.non2xx || r.errors) console.log('non2xx', r.non2xx, r.errors);
  return { us: (cpu(pid) - before) / r.requests.total, rate: r.requests.average };
}
const target = `${parlance.api.url}/api/v1/transcriptions`, auth = { authorization: `Bearer ${parlance.api.apiKey}` };
await load(bare.pid, bareUrl, {}, 1); await load(pid, target, auth, 1);
for (let i = 0; i < rounds; i++) {
  const b = await load(bare.pid, bareUrl, {}, 2), p = await load(pid, target, auth, seconds);
  console.log(`bare ${b.us.toFixed(1)} µs ${b.rate.toFixed(0)}/s · job ${p.us.toFixed(0)} µs ${p.rate.toFixed(0)}/s · cpu ratio ${(b.us / p.us * 100).toFixed(1)} % · rate ratio ${(p.rate / b.rate * 100).toFixed(1)} %`);
}
await parlance.kill(); await parlance.dispose(); bare.kill(); media.closeAllConnections(); media.close();
