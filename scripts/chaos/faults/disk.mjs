import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually, fillDisk, relieveDisk } from '@parlance/testing';

const run = promisify(execFile);

const DISK_MEGABYTES = 48;
const SHORTEST_MS = 1000;
const MAX_MS = 8000;
const UNMOUNT_LIMIT_MS = 60_000;

/** Another program fills the disk to its last byte, and somebody makes room some seconds later. */
export const disk = {
  unavailable: () => (process.platform === 'linux' && process.getuid() === 0 ? undefined : 'it needs root on Linux, to mount a small disk'),

  async prepare() {
    const dataFolder = await mkdtemp(join(tmpdir(), 'parlance-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEGABYTES}m`, 'tmpfs', dataFolder]);
    const unmounted = () => run('umount', [dataFolder]).then(() => true, () => false);
    const remove = async () => {
      await eventually('the disk to be unused', unmounted, UNMOUNT_LIMIT_MS, 50);
      await rm(dataFolder, { recursive: true });
    };
    return { options: { dataFolder }, [Symbol.asyncDispose]: remove };
  },

  async disturb({ parlance, random }) {
    const milliseconds = Math.round(SHORTEST_MS + random() * (MAX_MS - SHORTEST_MS));
    const until = performance.now() + milliseconds;
    // Files that the product removes meanwhile make room again.
    for (; performance.now() < until; await sleep(50)) await fillDisk(parlance.dataFolder);
    await relieveDisk(parlance.dataFolder);
    const metrics = await parlance.metrics();
    const heldUp = metrics.total('parlance_event_outages_total') + metrics.total('parlance_task_outages_total');
    return `full for ${milliseconds} ms, ${heldUp} tries held up`;
  },
};
