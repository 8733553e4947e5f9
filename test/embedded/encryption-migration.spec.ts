import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, filesBelow, ParlanceProcess, runAdmin, SAMPLES } from '@parlance/testing';

/** Words that only this test says. */
const SAID = 'Xanthippe';
const ASKED = 'Ursulina';
const NEEDLE_BYTES = 24;
const JOBS = 4;
const POLL_MS = 5;
/** An object that is sealed for so long that the command is killed before its end. */
const LARGE_BYTES = 768 * 1024 * 1024;
const ADMIN = join(process.cwd(), 'bundle', 'parlance-admin.js');
/** The search index, which has words in clear, as docs/privacy/encryption.md says; and the large object, which has only zeros. */
const NOT_SEARCHED = /\/(?:search\.db|zzz)/;

describe('encryption migrate', () => {
  let folder: string;
  let recording: Buffer;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-migration-'));
    recording = await readFile(SAMPLES.meeting.path);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const start = (env: Record<string, string>) => ParlanceProcess.start({ env: { SPEECH_ENGINE_URL: `fixture:?words=${SAID}`, ...env }, dataFolder: folder });
  const settings = () => ({ PARLANCE_DATA: folder });
  const migrate = async (...args: string[]) => JSON.parse(await runAdmin(settings(), 'encryption', 'migrate', '--json', ...args)) as { documents: { sealed: number; skipped: number }[]; media: { sealed: number; skipped: number } };
  const sealedDocuments = ({ documents }: Awaited<ReturnType<typeof migrate>>) => documents.reduce((sum, { sealed }) => sum + sealed, 0);

  const needles = () => [Buffer.from(SAID), Buffer.from(ASKED), ...[0.1, 0.5, 0.9].map((part) => recording.subarray(Math.floor(recording.length * part)).subarray(0, NEEDLE_BYTES))];
  const holding = async () => {
    const files = (await filesBelow(folder)).filter((file) => !NOT_SEARCHED.test(file));
    const held = await Promise.all(files.map(async (file) => (await readFile(file).then((bytes) => needles().some((needle) => bytes.includes(needle)))) && file.slice(folder.length)));
    return held.filter((file) => file !== false);
  };

  /** Runs the command and kills it as soon as the condition holds. */
  const killedWhen = async (condition: (said: string) => Promise<boolean>) => {
    const child = spawn(process.execPath, [ADMIN, 'encryption', 'migrate'], { env: { ...process.env, ...settings() }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
    const exited = once(child, 'exit');
    await eventually('the moment of the kill', async () => condition(said), 180_000, POLL_MS);
    child.kill('SIGKILL');
    expect(await exited).toEqual([null, 'SIGKILL']);
  };

  it('seals a folder of before, however often it is killed, so that no clear text is left in any file and everything is read, also by another key provider', async () => {
    const jobIds: string[] = [];
    {
      await using parlance = await start({ KEY_PROVIDER: 'none' });
      const { api } = parlance;
      for (let job = 0; job < JOBS; job += 1) jobIds.push(await api.upload(SAMPLES.meeting.path));
      for (const jobId of jobIds) await api.terminal(jobId);
      expect((await api.post('/chat', { message: `Who said ${SAID}, ${ASKED}?` })).status).toBe(200);
      await expect(migrate()).rejects.toThrow(/another Parlance process is using/);
      await parlance.stop();
    }
    expect((await holding()).length).toBeGreaterThan(JOBS);
    const source = (await filesBelow(join(folder, 'media'))).find((file) => file.endsWith(`/${jobIds[0]}/source`)) ?? '';
    await writeFile(join(dirname(source), 'zzz'), '');
    await truncate(join(dirname(source), 'zzz'), LARGE_BYTES);
    const counted = await migrate('--dry-run');
    expect(sealedDocuments(counted)).toBeGreaterThan(JOBS);
    expect(counted.media.sealed).toBeGreaterThanOrEqual(JOBS);
    expect(sealedDocuments(await migrate('--dry-run'))).toBe(sealedDocuments(counted));

    await killedWhen(async (said) => said.includes('encrypted'));
    await killedWhen(async (said) => said.includes('Rewriting'));
    await killedWhen(async () => (await filesBelow(join(folder, 'media'))).some((file) => file.endsWith('-')));
    await migrate();
    expect(await holding()).toEqual([]);
    const again = await migrate();
    expect([sealedDocuments(again), again.media]).toEqual([0, { sealed: 0, skipped: 0, bytes: 0 }]);

    await writeFile(join(folder, 'other-keys'), `1 ${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    const KEY_PROVIDER = `local:${join(folder, 'other-keys')}`;
    const moved = await runAdmin({ ...settings(), KEY_PROVIDER }, 'encryption', 'move-keys', '--from', `local:${join(folder, 'master-keys')}`, '--json');
    expect((JSON.parse(moved) as { account_keys: number }).account_keys).toBeGreaterThan(0);
    await expect(start({})).rejects.toThrow(/does not have the master key of this data/);

    await using parlance = await start({ KEY_PROVIDER });
    const { api } = parlance;
    for (const jobId of jobIds) {
      expect((await api.job(jobId)).transcript?.text).toContain(SAID);
      const media = await api.request('GET', `/transcriptions/${jobId}/media`);
      expect(Buffer.from(await media.arrayBuffer()).equals(recording)).toBe(true);
    }
    const erasureId = await api.delete(jobIds[0] ?? '');
    await eventually('every service to report', async () => (await api.erasure(erasureId)).status === 'completed');
  });
});
