// Uses the generated TypeScript client against the running product. URL, API_KEY, MEDIA.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { client } from './client/client.gen';
import { createTranscription, createUpload, exportTranscript, listEvents, listTranscriptions, streamEvents } from './client';

const { URL: baseUrl = '', API_KEY: apiKey = '', MEDIA: media = '' } = process.env;
client.setConfig({ baseUrl, auth: apiKey, throwOnError: true });
const throwOnError = true as const;

const { data: upload } = await createUpload({ body: new Blob([await readFile(media)]), query: { file_name: 'reading.flac' }, throwOnError });
const { data: job } = await createTranscription({ body: { upload_id: upload.upload_id, metadata: { client: 'typescript' } }, throwOnError });
const names: string[] = [];
const { stream } = await streamEvents({ path: { job_id: job.job_id } });
for await (const event of stream) if (typeof event === 'object') names.push(event.event);
assert.equal(names.at(-1), 'done');
const { data: page } = await listTranscriptions({ query: { metadata: ['client:typescript'] }, throwOnError });
assert.deepEqual(page.data.map(({ job_id: id, status }) => [id, status]), [[job.job_id, 'completed']]);
const file = async (format: 'pdf' | 'txt') => (await exportTranscript({ path: { job_id: job.job_id, format }, throwOnError })).data;
assert.equal((await (await file('pdf')).text()).slice(0, 5), '%PDF-');
assert.ok((await (await file('txt')).text()).trim().length > 0);
const isListed = async () => (await listEvents({ query: { limit: 100 }, throwOnError })).data.data.some((event) => event.type === 'transcription.completed' && event.data.job_id === job.job_id);
// Another service keeps the events of the account.
for (const end = Date.now() + 60_000; !(await isListed()); await sleep(100)) assert.ok(Date.now() < end);
