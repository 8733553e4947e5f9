import { mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isOutage } from '@parlance/platform';
import { appendErasure, readErasureLines } from './erasure-lines.js';

describe('an erasure log', () => {
  let folder: string;
  let path: string;
  const job = (number: number) => ({ jobId: `job_${number}`, accountId: 'acc_1', erasedAt: '2026-01-01T00:00:00.000Z' });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parlance-erasure-lines-'));
    path = join(folder, 'erasures');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('has each job once, however often its erasure was delivered', async () => {
    for (const number of [1, 2, 1]) await appendErasure(path, job(number));
    expect(await readErasureLines(path)).toEqual([job(1), job(2)]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('has accounts as well, beside jobs', async () => {
    const account = { accountErasureId: 'era_a', accountId: 'acc_1', erasedAt: '2026-01-01T00:00:00.000Z' };
    for (const erased of [job(1), account, account]) await appendErasure(path, erased);
    expect(await readErasureLines(path)).toEqual([job(1), account]);
  });

  it('goes on after a line that the death of its writer cut', async () => {
    for (const number of [1, 2]) await appendErasure(path, job(number));
    await truncate(path, (await stat(path)).size - 10);
    for (const number of [2, 3]) await appendErasure(path, job(number));
    expect(await readErasureLines(path)).toEqual([job(1), job(2), job(3)]);
  });

  it('is in an outage, which is waited for, as long as its disk is away', async () => {
    const error = await appendErasure(join(folder, 'not-mounted', 'erasures'), job(1)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining('not-mounted') });
    expect(isOutage(error)).toBe(true);
  });

  it('is refused when it is another file', async () => {
    await writeFile(path, 'job_1\n');
    await expect(readErasureLines(path)).rejects.toMatchObject({ code: 'invalid_erasure_log', message: expect.stringContaining('Line 1') });
  });
});
