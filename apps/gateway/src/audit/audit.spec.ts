import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { gateway as gatewayRpc, transcription, transcripts } from '@parlance/contracts';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { eventually } from '@parlance/testing';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';
import { verifyAudit } from './verify-audit.js';

interface Recorded {
  sequence: number;
  event: string;
  action: string;
  actor_type: string;
  actor_id?: string;
  key_id?: string;
  resources: string[];
  status?: number;
  address: string;
  user_agent?: string;
  request_id: string;
}

interface Page {
  data: Recorded[];
  next_cursor: string | null;
}

const SPOKEN = 'zweihundert Elefanten';

describe('the audit log', () => {
  let gateway: GatewayHarness;
  let jobId: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start({ TRUSTED_PROXIES: '127.0.0.0/8' });
    jobId = await gateway.submit();
    gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [[transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: SPOKEN })]] });
    gateway.services.change(jobId, completed);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const audit = async (query = '', from = gateway) => (await from.call<Page>('GET', `/audit?limit=100${query}`)).body.data;
  /** Newest first. */
  const of = async (requestId: string | null, from = gateway) => (await audit('', from)).filter((record) => record.request_id === requestId);
  const documentsFile = () => join(gateway.process.dataFolder, 'documents', 'gateway.db');
  const idOf = ({ headers }: { headers: Headers }) => headers.get('x-request-id');
  const read = (headers: Record<string, string> = {}, path = `/api/v1/transcriptions/${jobId}/transcript`) => gateway.fetch(path, { headers });

  it('has a read with its actor, its client and what was read, and nothing of the contents', async () => {
    const answer = await read({ 'user-agent': 'x'.repeat(300), 'x-forwarded-for': '203.0.113.7' });
    expect(await answer.text()).toContain(SPOKEN);
    const [record, ...more] = await of(idOf(answer));
    expect(more).toEqual([]);
    expect(record).toMatchObject({ event: 'answered', action: 'getTranscript', actor_type: 'key', actor_id: expect.stringMatching(/^key_/), resources: [jobId], status: 200, address: '203.0.113.7', user_agent: 'x'.repeat(200) });
    const found = await gateway.call('GET', `/search?q=${encodeURIComponent(SPOKEN)}`);
    expect(await of(idOf(found))).toMatchObject([{ action: 'searchTranscripts', resources: [] }]);
    expect(JSON.stringify(await audit())).not.toContain('Elefanten');
  });

  it('has a change before and after it is made, with what it created', async () => {
    const answer = await gateway.call<{ job_id: string }>('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' } });
    await eventually('its outcome', async () => (await of(idOf(answer))).length === 2);
    expect(await of(idOf(answer))).toMatchObject([
      { event: 'answered', action: 'createTranscription', status: 202, resources: [answer.body.job_id] },
      { event: 'requested', action: 'createTranscription', resources: [] },
    ]);
  });

  it('has the jobs whose transcripts an export shows, also of one that selects by a filter, before its first byte', async () => {
    const answer = await gateway.fetch('/api/v1/exports', { method: 'POST', body: JSON.stringify({ filter: {}, formats: ['txt'] }), headers: { 'content-type': 'application/json' } });
    expect([answer.status, (await answer.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect((await of(idOf(answer))).map(({ event, resources }) => [event, resources.includes(jobId)])).toEqual([['answered', true], ['requested', false]]);
  });

  it('has the jobs that a list shows, as it shows their metadata, and not those that records name', async () => {
    const listed = await gateway.call<{ data: { job_id: string }[] }>('GET', '/transcriptions');
    const ids = listed.body.data.map((job) => job.job_id);
    expect(ids).toContain(jobId);
    expect(await of(idOf(listed))).toMatchObject([{ action: 'listTranscriptions', resources: ids }]);
    const log = await gateway.call('GET', '/audit');
    expect(await of(idOf(log))).toMatchObject([{ action: 'listAudit', resources: [] }]);
  });

  it('has the jobs that an answer of the chat cites, whole or as a stream, before its citations are sent', async () => {
    gateway.services.cited.push(jobId);
    const ask = (accept: string) => gateway.fetch('/api/v1/chat', { method: 'POST', body: JSON.stringify({ message: 'How many?' }), headers: { 'content-type': 'application/json', accept } });
    const whole = await ask('application/json');
    expect([(await whole.text()).includes(jobId), (await of(idOf(whole))).map(({ event, resources }) => [event, resources])]).toEqual([true, [['answered', [jobId]], ['requested', []]]]);
    const stream = await ask('text/event-stream');
    expect(await stream.text()).toContain(jobId);
    expect((await of(idOf(stream))).map(({ event, resources }) => [event, resources])).toEqual([['answered', [jobId]], ['answered', []], ['requested', []]]);
  });

  it('has what was refused to a known key, and no caller that is unknown', async () => {
    const { apiKey, keyId } = await gateway.createKey(['usage']);
    const refused = await gateway.as(apiKey).call('DELETE', `/transcriptions/${jobId}`);
    // It is recorded when it has been answered.
    const recorded = await eventually('its record', async () => {
      const records = await of(idOf(refused));
      return records.length > 0 && records;
    });
    expect(recorded).toMatchObject([{ event: 'answered', action: 'deleteTranscription', actor_id: keyId, status: 403 }]);
    const unknown = await fetch(`${gateway.url}/api/v1/transcriptions/${jobId}`);
    expect([unknown.status, await of(idOf(unknown))]).toEqual([401, []]);
  });

  it('names tokens with their key, links with theirs, and operators', async () => {
    const token = (await gateway.call<{ token: string; token_id: string }>('POST', '/tokens', { json: { scopes: ['transcriptions:read'], expires_in: 60 } })).body;
    const byToken = await read({ authorization: `Bearer ${token.token}` });
    const keyId = (await audit()).find(({ actor_type: type }) => type === 'key')?.actor_id;
    expect(await of(idOf(byToken))).toMatchObject([{ actor_type: 'token', actor_id: token.token_id, key_id: keyId }]);
    const link = (await gateway.call<{ url: string; link_id: string }>('POST', `/transcriptions/${jobId}/links`, { json: { what: 'transcript' } })).body;
    const byLink = await fetch(link.url);
    expect(await of(idOf(byLink))).toMatchObject([{ action: 'openLink', actor_type: 'link', actor_id: link.link_id, key_id: keyId, resources: [jobId], status: 200 }]);
    expect(JSON.stringify(await audit())).not.toContain(link.url.split('/').at(-1));
    expect((await audit('&action=createAccount')).map(({ actor_type: type }) => type)).toEqual(['operator']);
  });

  it('has event streams when they begin, and the APIs of other vendors by method and path', async () => {
    const stream = await read({ accept: 'text/event-stream' }, `/api/v1/transcriptions/${jobId}/events`);
    expect(await of(idOf(stream))).toMatchObject([{ action: 'streamEvents', resources: [jobId] }]);
    await stream.body?.cancel();
    const models = await read({}, '/compat/openai/v1/models');
    expect(await of(idOf(models))).toMatchObject([{ action: expect.stringMatching(/^GET .*\/models$/), status: 200 }]);
  });

  it('has the account and the key that a first start creates', async () => {
    const { apiKey } = await gateway.process.process.connect('gateway', gatewayRpc.AccountServiceDefinition).createFirstKey({});
    expect(await audit('&action=createAccount', gateway.as(apiKey))).toMatchObject([{ actor_type: 'operator', resources: [expect.stringMatching(/^key_/)] }]);
  });

  it('is listed by pages and filters, and exported as lines that make a chain', async () => {
    const first = await gateway.call<Page>('GET', '/audit?limit=2');
    const second = await gateway.call<Page>('GET', `/audit?limit=2&cursor=${first.body.next_cursor}`);
    const sequences = [...first.body.data, ...second.body.data].map(({ sequence }) => sequence);
    expect(sequences).toEqual([0, 1, 2, 3].map((less) => (sequences[0] ?? 0) - less));
    expect(new Set((await audit(`&resource=${jobId}`)).flatMap(({ resources }) => resources))).toContain(jobId);
    expect((await audit('&created_before=2020-01-01'))).toEqual([]);
    const exported = await read({ accept: 'application/x-ndjson' }, '/api/v1/audit');
    const lines = (await exported.text()).trim().split('\n').map((line) => JSON.parse(line) as { sequence: number; hash: string; previous_hash: string });
    expect([exported.headers.get('content-type'), lines.map(({ sequence }) => sequence)]).toEqual(['application/x-ndjson', lines.map((_, index) => index + 1)]);
    expect(lines.slice(1).map(({ previous_hash: previous }) => previous)).toEqual(lines.slice(0, -1).map(({ hash }) => hash));
    const documents = await openDocumentDatabase(`sqlite:${documentsFile()}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'test' });
    expect(await verifyAudit(documents, systemClock)).toMatchObject({ faults: [] });
    await documents.close();
  });

  it('is for keys with its scope alone, and of their account', async () => {
    const { apiKey } = await gateway.createKey(['transcriptions:read']);
    expect((await gateway.as(apiKey).call('GET', '/audit')).status).toBe(403);
    const other = gateway.as((await gateway.createAccount()).apiKey);
    expect((await audit('', other)).every(({ resources }) => !resources.includes(jobId))).toBe(true);
  });

  it('outlives the job: ids alone stay', async () => {
    const erased = await gateway.submit();
    expect((await gateway.call('DELETE', `/transcriptions/${erased}`)).status).toBeLessThan(300);
    await eventually('its outcome', async () => (await audit(`&resource=${erased}&action=deleteTranscription`)).length === 2);
  });

  it('refuses what it cannot record: a read is not answered and a change not made', async () => {
    using database = new DatabaseSync(documentsFile());
    database.exec('ALTER TABLE documents_audit_records RENAME TO out_of_reach');
    const answer = await read();
    expect([answer.status, answer.headers.get('etag'), await answer.text()]).toEqual([500, null, expect.not.stringContaining(SPOKEN)]);
    const count = gateway.services.created.length;
    expect((await gateway.call('POST', '/transcriptions', { json: { audio_url: 'https://example.org/a.mp3' } })).status).toBe(500);
    expect(gateway.services.created).toHaveLength(count);
    database.exec('ALTER TABLE out_of_reach RENAME TO documents_audit_records');
    expect((await read()).status).toBe(200);
  });
});

it('is empty where the operator has switched it off', async () => {
  await using gateway = await GatewayHarness.start({ AUDIT_LOG: 'off' });
  await gateway.submit();
  const { body } = await gateway.call<Page>('GET', '/audit');
  expect(body.data.map(({ actor_type: type }) => type)).toEqual(['operator']);
});
