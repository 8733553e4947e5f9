// Compares the API description with that of the last release, and with copies of it in which something is broken.
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flatten } from './flat-schemas.mjs';
import { unlistedOperations, unknownOperations } from './api-changelog.mjs';

const { OASDIFF: oasdiff, SCRATCH: folder } = process.env;
const json = async (path) => JSON.parse(await readFile(path, 'utf8'));

/** The description without what says nothing: names of properties are texts, and `result_key` of the first release refused every value. */
const comparable = (description) =>
  JSON.parse(JSON.stringify(flatten(description)), (key, value) => {
    if (key === 'propertyNames' && Object.keys(value).every((name) => name === 'type')) return undefined;
    if (key === 'result_key' && value.type === undefined && value.$ref === undefined) return undefined;
    return value;
  });

/** The description of the last release, of the files `docs/api/openapi-<version>.json`. */
const basePath = join('docs/api', (await readdir('docs/api')).filter((name) => /^openapi-[\d.]+\.json$/.test(name)).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1));
const base = comparable(await json(basePath));
const current = comparable(await json('apps/gateway/openapi.json'));
const changelog = await readFile('docs/api/CHANGELOG.md', 'utf8');

/** The breaking changes from one description to another, as text; empty when there are none. A value or a form that is added to an answer breaks nothing: clients take those that they do not know. */
async function breaking(from, to) {
  const [one, other] = [join(folder, 'base.json'), join(folder, 'revision.json')];
  await writeFile(one, JSON.stringify(from));
  await writeFile(other, JSON.stringify(to));
  const { status, stdout, stderr } = spawnSync(oasdiff, ['breaking', one, other, '--fail-on', 'WARN', '--severity-levels', '.ci/api-changes-levels'], { encoding: 'utf8' });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return status === 0 ? '' : stdout;
}

let passed = 0;
let failed = 0;
function check(name, faults) {
  if (faults.length === 0) passed++;
  else failed++;
  console.log(faults.length === 0 ? `ok   ${name}` : `FAIL ${name}\n${faults}`);
}

/** Checks what oasdiff says of a copy of the description after a change. */
async function checkChange(name, isBreaking, change) {
  const changed = structuredClone(current);
  change(changed);
  const found = await breaking(current, changed);
  check(`${name} is ${isBreaking ? '' : 'not '}breaking`, (found !== '') === isBreaking ? '' : `oasdiff says: ${found || 'not breaking'}`);
}

check(`since ${basePath} nothing was broken`, await breaking(base, current));
check('docs/api/CHANGELOG.md names each added operation', unlistedOperations(base, current, changelog).join('\n'));
check('docs/api/CHANGELOG.md names no operation that does not exist', unknownOperations(current, changelog).join('\n'));

const job = '/api/v1/transcriptions/{job_id}';
await checkChange('a required field removed from an answer', true, ({ components: { schemas: { Transcription: schema } } }) => {
  delete schema.properties.status;
  schema.required = schema.required.filter((name) => name !== 'status');
});
await checkChange('an optional field removed from an answer', true, ({ components: { schemas } }) => delete schemas.Transcription.properties.file_name);
await checkChange('a field removed from a body', true, ({ components: { schemas } }) => delete schemas.NewTranscription.properties.vocabulary);
await checkChange('a field of a body that becomes required', true, ({ components: { schemas } }) => (schemas.NewTranscription.required = ['audio_url']));
await checkChange('a removed parameter', true, ({ paths }) => (paths[job].get.parameters = paths[job].get.parameters.filter(({ name }) => name !== 'wait')));
await checkChange('a removed operation', true, ({ paths }) => delete paths[job].delete);
await checkChange('an optional field added to a body and an answer', false, ({ components: { schemas } }) => {
  for (const name of ['NewTranscription', 'Transcription']) schemas[name].properties.added = { type: 'string' };
});
await checkChange('a code added to those of problems', false, ({ components: { schemas } }) => schemas.ProblemCode.enum.push('added'));
await checkChange('an added operation', false, ({ paths }) => (paths['/api/v1/added'] = { get: { ...paths[job].get, operationId: 'added', parameters: [] } }));

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
