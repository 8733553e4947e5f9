import { describe, expect, it } from '@jest/globals';
import { terminalEventFaults } from './terminal-events.mjs';

describe('the count of terminal events after a disturbance', () => {
  it('finds a second event that comes late, and one that is missing; an event that is sent again is one', async () => {
    const ids: Record<string, string[]> = { once: ['a'], again: ['b', 'b'], late: ['c'], missing: [] };
    setTimeout(() => ids['late']?.push('d'), 50);
    const faults = await terminalEventFaults(Object.keys(ids), (jobId: string) => ids[jobId], 500);
    expect(faults).toEqual(['late has 2 terminal events', 'missing has 0 terminal events']);
  });
});
