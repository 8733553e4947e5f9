// Starts the dispatcher, takes a webhook from before and one from after a rotation of the secret, and has Python verify them. PYTHON, SCRATCH.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { events, webhook } from '../libs/contracts/dist/index.js';
import { silentLogger, ulidGenerator } from '../libs/platform/dist/index.js';
import { runProcess } from '../libs/runtime/dist/process.js';
import { manifest } from '../apps/webhook-dispatcher/dist/service.js';

const { PYTHON, SCRATCH } = process.env;
const VERIFY = `
import json, sys
from standardwebhooks import Webhook
given = json.load(sys.stdin)
print(json.dumps(Webhook(given["secret"]).verify(given["raw"], given["headers"])))
`;

const received = [];
const receiver = createServer(async (request, response) => {
  let raw = '';
  for await (const chunk of request.setEncoding('utf8')) raw += chunk;
  response.end();
  received.push({ raw, headers: request.headers });
  receiver.emit('received');
});
await once(receiver.listen(0, '127.0.0.1'), 'listening');

const dispatcher = await runProcess([manifest], { env: { PARLANCE_DATA: SCRATCH, EGRESS_ALLOW: '127.0.0.0/8' }, log: silentLogger() });
const client = dispatcher.connect('webhook-dispatcher', webhook.WebhookServiceDefinition);
const ids = ulidGenerator();

async function webhookOf(jobId) {
  const arrived = once(receiver, 'received', { signal: AbortSignal.timeout(60_000) });
  const data = events.JobEvent.fromPartial({ jobId, accountId: 'acc_1', sequence: 1, callbackUrl: `http://127.0.0.1:${receiver.address().port}/hook`, metadata: { name: 'grüß dich 你好' } });
  await dispatcher.bus.publish([{ id: ids.next('evt'), type: 'job.started', source: 'ci', time: new Date().toISOString(), key: jobId, data }]);
  await arrived;
  return received.at(-1);
}

const verify = (given) => spawnSync(PYTHON, ['-c', VERIFY], { input: JSON.stringify(given), encoding: 'utf8' });

let passed = 0;
let failed = 0;
function check(name, work) {
  try {
    work();
    passed += 1;
    console.log(`ok   ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${error.stack}`);
  }
}

try {
  const { secret: old } = await client.getSecret({ accountId: 'acc_1' });
  const before = await webhookOf('job_1');
  check('Python verifies a webhook and reads its body', () => {
    const { stdout, stderr } = verify({ ...before, secret: old });
    assert.deepEqual(JSON.parse(stdout || 'null'), JSON.parse(before.raw), stderr);
  });
  check('Python refuses one whose body was changed', () => assert.notEqual(verify({ ...before, raw: before.raw.replace('job_1', 'job_2'), secret: old }).status, 0));

  const { secret } = await client.rotateSecret({ accountId: 'acc_1' });
  const after = await webhookOf('job_3');
  check('Python verifies one with either secret after a rotation', () => {
    for (const each of [old, secret]) assert.equal(verify({ ...after, secret: each }).status, 0);
  });
  check('and one from before with the old secret alone', () => assert.notEqual(verify({ ...before, secret }).status, 0));
} finally {
  await dispatcher.close();
  receiver.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
