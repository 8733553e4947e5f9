import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { eventually, filesBelow, ParlanceProcess, SAMPLES } from '@parlance/testing';

describe('a completed job that is deleted', () => {
  it('leaves nothing of its media, its text and its metadata in any file', async () => {
    await using parlance = await ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: 'fixture:?words=Xanthippe' } });
    const { api } = parlance;
    const jobId = await api.upload(SAMPLES.meeting.path, { metadata: JSON.stringify({ note: 'Zenobia' }) }, { 'idempotency-key': 'meeting' });
    await api.terminal(jobId);
    expect((await api.job(jobId)).transcript?.text).toContain('Xanthippe');
    expect(await (await api.post('/chat', { message: 'Who said Xanthippe?' })).json()).toMatchObject({ grounded: true, answer: expect.stringContaining('Xanthippe') });
    const stored = (await filesBelow(join(parlance.dataFolder, 'media'))).filter((file) => file.endsWith(`/${jobId}/source-`));
    const [sealed = Buffer.of()] = await Promise.all(stored.map((file) => readFile(file)));
    expect(sealed.length).toBeGreaterThan(1100);
    const erasureId = await api.delete(jobId);
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');

    const source = await readFile(SAMPLES.meeting.path);
    const traces = { text: 'Xanthippe', media: source.subarray(1000, 1100), 'sealed media': sealed.subarray(1000, 1100), metadata: 'Zenobia' };
    const found = async () => {
      const files = await Promise.all((await filesBelow(parlance.dataFolder)).map(async (file) => ({ file, content: await readFile(file).catch(() => Buffer.of()) })));
      return files.flatMap(({ file, content }) => Object.entries(traces).filter(([, trace]) => content.includes(trace)).map(([name]) => `${name} in ${file}`));
    };
    // While it runs: databases, their write-ahead logs, the event log and all else.
    let left: string[] = [];
    // Each look reads every file, and the write-ahead logs take some seconds.
    await eventually('every file to be clean', async () => (left = await found()).length === 0, 180_000, 250).catch(() => {});
    expect(left).toEqual([]);
    await parlance.stop();
    expect(await found()).toEqual([]);
  });
});
