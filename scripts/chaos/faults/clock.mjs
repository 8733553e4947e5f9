import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The library of the Debian package `faketime`, on any architecture. */
const LIBRARIES = ['/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1', '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1'];

const JUMPS_SECONDS = [1, 60, 3600, 86_400, 30 * 86_400];
/** Between a jump and the jump back. */
const MAX_STAY_MS = 3000;

/** The wall clock jumps by up to thirty days, to and fro, while jobs are in flight; the monotonic clock continues, as on a real machine. */
export const clock = {
  async unavailable() {
    return LIBRARIES.some(existsSync) ? undefined : 'it needs libfaketime (apt-get install faketime)';
  },

  async prepare() {
    const folder = await mkdtemp(join(tmpdir(), 'parlance-clock-'));
    const file = join(folder, 'offset');
    await writeFile(file, '+0\n');
    const env = { LD_PRELOAD: LIBRARIES.find(existsSync), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    return { file, options: { env }, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
  },

  async disturb({ prepared: { file }, random }) {
    const size = JUMPS_SECONDS[Math.floor(random() * JUMPS_SECONDS.length)];
    const jump = random() < 0.5 ? -size : size;
    await writeFile(file, `${jump < 0 ? '' : '+'}${jump}\n`);
    await sleep(random() * MAX_STAY_MS);
    await writeFile(file, '+0\n');
    return `jumped by ${jump} s and back`;
  },
};
