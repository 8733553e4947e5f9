import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transcription, transcripts } from '@parlance/contracts';
import { strFromU8, unzipSync } from 'fflate';
import { GatewayHarness } from '../../test/gateway-harness.js';
import { completed } from '../../test/job-messages.js';

interface Manifest {
  jobs: { job_id: string; files?: { format: string; name?: string; error?: { code: string; reason?: string } }[]; error?: { code: string } }[];
}

describe('an archive of transcripts', () => {
  let gateway: GatewayHarness;
  let jobIds: string[];
  let pending: string;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
    jobIds = await Promise.all(['../../etc/passwd', 'CON:\u202Etxt', 'Same', 'Same'].map((title) => gateway.submit({ metadata: { title, order: '1' } })));
    for (const jobId of jobIds) {
      const segments = [transcripts.Segment.fromPartial({ segmentId: 'seg_000001', text: `words of ${jobId}` })];
      gateway.services.transcripts.set(jobId, { header: transcription.TranscriptHeader.fromPartial({ language: 'en' }), pages: [segments] });
      gateway.services.change(jobId, completed);
    }
    pending = await gateway.submit();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const order = (json: object) => gateway.fetch('/api/v1/exports', { method: 'POST', body: JSON.stringify(json), headers: { 'content-type': 'application/json' } });
  const archive = async (json: object) => {
    const answer = await order(json);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/zip']);
    const parts = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    return { parts, manifest: JSON.parse(strFromU8(parts['manifest.json'] ?? new Uint8Array())) as Manifest };
  };

  it('has the files of each job, whose names are those of the jobs, unique and never a path', async () => {
    const { parts, manifest } = await archive({ job_ids: jobIds, formats: ['txt', 'pdf', 'txt'] });
    const names = Object.keys(parts).filter((name) => name !== 'manifest.json');
    expect(names).toHaveLength(8);
    for (const name of names) expect(name).not.toMatch(/[/\\:]|^\.|\p{Cf}/u);
    expect(manifest.jobs.map(({ job_id: jobId, files }) => [jobId, files?.map(({ format, error }) => [format, error])])).toEqual(jobIds.map((jobId) => [jobId, [['txt', undefined], ['pdf', undefined]]]));
    for (const { job_id: jobId, files = [] } of manifest.jobs) {
      const [text, pdf] = files.map(({ name = '' }) => parts[name] ?? new Uint8Array());
      expect(strFromU8(text ?? new Uint8Array())).toContain(`words of ${jobId}`);
      expect(Buffer.from(pdf ?? [])).toEqual(Buffer.from(await (await gateway.fetch(`/api/v1/transcriptions/${jobId}/export/pdf`)).arrayBuffer()));
    }
  });

  it('says in its manifest which jobs and files are missing, and why', async () => {
    const other = gateway.as((await gateway.createAccount()).apiKey);
    const foreign = await other.submit();
    const { parts, manifest } = await archive({ job_ids: [pending, jobIds[0], foreign, 'job_none'], formats: ['txt'] });
    expect(Object.keys(parts)).toHaveLength(2);
    expect(manifest.jobs).toMatchObject([
      { job_id: pending, files: [{ format: 'txt', error: { code: 'invalid_state', reason: 'not_ready' } }] },
      { job_id: jobIds[0], files: [{ name: expect.stringContaining(jobIds[0] ?? '') }] },
      { job_id: foreign, error: { code: 'not_found' } },
      { job_id: 'job_none', error: { code: 'not_found' } },
    ]);
  });

  it('is of the completed jobs that a filter selects', async () => {
    const { manifest } = await archive({ filter: { metadata: { order: '1' } }, formats: ['txt'] });
    expect(manifest.jobs.map(({ job_id: jobId }) => jobId).toSorted()).toEqual(jobIds.toSorted());
    expect((await archive({ filter: { metadata: { order: '2' } }, formats: ['txt'] })).manifest.jobs).toEqual([]);
  });

  it('is refused for another account’s batch, and where it is not said which jobs are meant', async () => {
    expect((await order({ batch_id: 'bat_none', formats: ['txt'] })).status).toBe(404);
    for (const json of [{ formats: ['txt'] }, { job_ids: jobIds, filter: {}, formats: ['txt'] }, { job_ids: jobIds, formats: [] }, { job_ids: jobIds, formats: ['exe'] }]) expect((await order(json)).status).toBe(422);
  });

  it('leaves nothing open when its client breaks off', async () => {
    const stop = new AbortController();
    const answer = await gateway.fetch('/api/v1/exports', { method: 'POST', body: JSON.stringify({ job_ids: jobIds, formats: ['pdf', 'docx', 'json', 'txt'] }), headers: { 'content-type': 'application/json' }, signal: stop.signal });
    stop.abort();
    await expect(answer.arrayBuffer()).rejects.toThrow('aborted');
    expect((await archive({ job_ids: jobIds.slice(0, 1), formats: ['txt'] })).manifest.jobs).toHaveLength(1);
  });
});
