import { setTimeout as sleep } from 'node:timers/promises';
import { exhaustDescriptors } from '@parlance/testing';

const SHORTEST_MS = 1000;
const MAX_MS = 8000;

/** For some seconds the process gets no further descriptor. */
export const descriptors = {
  unavailable: () => (process.platform === 'linux' ? undefined : 'it needs prlimit of Linux'),

  async disturb({ parlance, random }) {
    const milliseconds = Math.round(SHORTEST_MS + random() * (MAX_MS - SHORTEST_MS));
    const relieve = await exhaustDescriptors(parlance.pid);
    await sleep(milliseconds);
    await relieve();
    const metrics = await parlance.metrics();
    const heldUp = metrics.total('parlance_event_outages_total') + metrics.total('parlance_task_outages_total');
    return `none free for ${milliseconds} ms, ${heldUp} tries held up`;
  },
};
