import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openKeyRotation, openOwnKeys } from '@parlance/runtime/open-keys';
import { portUrls } from '@parlance/runtime/open-ports';

const JOBS = { smoke: 1000, quick: 20_000, full: 100_000 };
const ACCOUNTS = 100;
const AT_ONCE = 500;
const TARGET_SECONDS = 60;

/** A rotation of the master key and of the keys of 100 accounts, which rewraps the data keys of all their jobs, beside the process that owns the keys. */
export async function keyRotation(size) {
  const folder = await mkdtemp(join(tmpdir(), 'parlance-bench-rotation-'));
  const urls = portUrls({ PARLANCE_DATA: folder });
  const setting = `local:${join(folder, 'master-keys')}`;
  const dependencies = { clock: systemClock, ids: ulidGenerator(), log: silentLogger() };
  const own = await openOwnKeys(urls, setting, dependencies, { create: true });
  try {
    await makeKeys(own.keys, JOBS[size]);
    const opened = await openKeyRotation(urls, setting, dependencies);
    try {
      const startedAt = performance.now();
      const { dataKeys } = await opened.rotation.run();
      const seconds = (performance.now() - startedAt) / 1000;
      if (dataKeys !== JOBS[size]) throw new Error(`${dataKeys} of ${JOBS[size]} data keys were rewrapped`);
      const scaled = (seconds * JOBS.full) / JOBS[size];
      return [{ name: `key rotation, ${JOBS[size]} jobs`, measured: `${seconds.toFixed(1)} s`, baseline: '', ratio: '', target: `100,000 in < ${TARGET_SECONDS} s`, met: scaled < TARGET_SECONDS }];
    } finally {
      await opened.close();
    }
  } finally {
    await own.close();
    await rm(folder, { recursive: true });
  }
}

async function makeKeys(keys, count) {
  for (let first = 0; first < count; first += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - first) }, (_, offset) => first + offset);
    await Promise.all(numbers.map((number) => keys.of(`acc_${number % ACCOUNTS}`, `job_${number}`)));
  }
}
