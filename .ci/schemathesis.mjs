// Gives schemathesis a key, and ids of what is there, so that it reaches beyond 404; counts the operations it was content with.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeAnswers } from './closed-answers.mjs';

const { URL: url, DATA: data, SCRATCH: folder, ST: command } = process.env;
/** Values made up for each operation, beside its examples and the edge cases of its parameters. No limit of time: what is tried must not depend on the machine. */
const EXAMPLES = '50';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'missing_required_header',
  // Not what Allow says of OPTIONS: `…/speakers/merge` is the place of a speaker as well, and the methods of both are there.
  'unsupported_method',
];

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

const apiKey = (await readFile(join(data, 'api-key'), 'utf8')).trim();
const call = async (method, path, body, headers = { 'content-type': 'application/json' }) => {
  const response = await fetch(`${url}/api/v1${path}`, { method, body, headers: { authorization: `Bearer ${apiKey}`, ...headers } });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.json();
};

async function upload(fields) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([await readFile(new URL('../samples/reading.flac', import.meta.url))]), 'reading.flac');
  return (await call('POST', '/transcriptions', form, {})).job_id;
}

async function completed(jobId) {
  for (;;) {
    const { status, stages } = await call('GET', `/transcriptions/${jobId}?wait=5&include=none`);
    const open = Object.values(stages).some((stage) => stage.status === 'pending' || stage.status === 'running');
    if (status !== 'queued' && status !== 'processing' && !open) return;
  }
}

// Nobody listens there, and the address is refused: a delivery that fails.
const jobId = await upload({ callback_url: 'http://example.invalid/hook' });
await completed(jobId);
const goneJobs = [await upload({}), await upload({})];
for (const each of goneJobs) await completed(each);
const { summary_id: summaryId } = await call('POST', `/transcriptions/${jobId}/summaries`, '{"format":"brief"}');
const { conversation_id: conversationId } = await call('POST', `/transcriptions/${jobId}/chat`, '{"message":"What is this about?"}');
const { key_id: keyId } = await call('POST', '/keys', '{"name":"for schemathesis"}');
const { erasure_id: erasureId } = await call('DELETE', `/transcriptions/${goneJobs[0]}`);
// Another service attempts them.
const deliveriesOf = async (id) => (await call('GET', `/transcriptions/${id}/deliveries`)).data;
let deliveries = await deliveriesOf(jobId);
for (const end = Date.now() + 60_000; deliveries.length === 0 && Date.now() < end; await sleep(100)) deliveries = await deliveriesOf(jobId);
const { data: speakers } = await call('GET', `/transcriptions/${jobId}/speakers`);

const ids = {
  job_id: jobId,
  summary_id: summaryId,
  conversation_id: conversationId,
  key_id: keyId,
  erasure_id: erasureId,
  delivery_id: deliveries[0]?.delivery_id,
  speaker_id: speakers[0]?.speaker_id,
};
const known = Object.entries(ids).filter(([, id]) => id !== undefined);
const config = [
  `headers = ${inline({ Authorization: `Bearer ${apiKey}`, 'X-API-Key': apiKey })}`,
  'max-stream-events = 3',
  'hooks = "hooks.py"',
  '[parameters]',
  ...known.map(([name, id]) => `"path.${name}" = ${JSON.stringify(id)}`),
  '"query.wait" = 1',
  // What is deleted is gone for the others.
  '[[operations]]',
  'include-operation-id = ["deleteTranscription", "cancelTranscription"]',
  `parameters = ${inline({ 'path.job_id': goneJobs[1] })}`,
];
await writeFile(join(folder, 'schemathesis.toml'), `${config.join('\n')}\n`);
// The media type of tus: bytes like any others.
await writeFile(join(folder, 'hooks.py'), 'import schemathesis\n\nschemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")\n');

function inline(values) {
  return `{ ${Object.entries(values).map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`).join(', ')} }`;
}

const description = join(folder, 'openapi.json');
const described = await fetch(`${url}/openapi.json`).then((published) => published.json());
await writeFile(description, JSON.stringify(closeAnswers(described)));

const report = join(folder, 'report.xml');
const run = ['run', description, '--url', url, '--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(','), '--max-examples', EXAMPLES, '--seed', process.env.CHANCE_SEED ?? '1'];
// One worker: Python 3.11 parses source in two threads wrongly ("AST constructor recursion depth mismatch"), as hypothesis does.
const bounds = ['--workers', '1', '--no-shrink', '--continue-on-failure', '--request-timeout', '20', '--warnings', 'off', '--report-junit-path', report];
const program = spawn(command, ['--no-color', '--config-file', join(folder, 'schemathesis.toml'), ...run, ...bounds], { cwd: folder, stdio: 'inherit' });
const [status] = await once(program, 'exit');

// A fault that ends the process is one that no answer tells of.
const isUp = await fetch(`${url}/health/ready`).then(({ ok }) => ok, () => false);
const xml = await readFile(report, 'utf8').catch(() => '');
const cases = [...xml.matchAll(/<testcase\b[^>]*?(?:\/>|>[\s\S]*?<\/testcase>)/g)].map(([text]) => text);
const operations = Object.entries(described.paths).flatMap(([path, item]) => Object.keys(item).filter((key) => METHODS.has(key)).map((method) => `${method.toUpperCase()} ${path}`));
const names = new Set(cases.map((text) => unescaped(/\bname="([^"]*)"/.exec(text)?.[1] ?? '')));
const unasked = operations.filter((operation) => !names.has(operation));
if (unasked.length > 0) console.log(`not asked: ${unasked.join(', ')}`);
const failed = unasked.length + cases.filter((text) => /<(?:failure|error)\b/.test(text)).length + (isUp ? 0 : 1) + (cases.length === 0 || status === null ? 1 : 0);
console.log(`${cases.length - Math.min(cases.length, failed)} passed, ${failed || (status === 0 ? 0 : 1)} failed`);
process.exitCode = failed === 0 && status === 0 ? 0 : 1;

function unescaped(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
