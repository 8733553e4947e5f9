import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { laneName } from '../store/lane.js';
import { MAX_LANES, type StoredTask, type TaskStore } from '../store/task-store.js';

interface OpenedStore {
  store: TaskStore;
  close(): Promise<void>;
}

/** What a worker reads of a long queue has a bound. */
export function describeBoundedLooks(name: string, open: () => Promise<OpenedStore>): void {
  describe(`looks at a queue ${name}`, () => {
    let opened: OpenedStore;
    beforeEach(async () => void (opened = await open()));
    afterEach(() => opened.close());

    const task = (nth: number): StoredTask => ({
      queue: 'work',
      id: `${nth}`,
      accountId: `acc_${nth % 3}`,
      group: `job_${nth}`,
      priority: 0,
      payload: '{}',
      enqueuedAt: new Date(0),
      dueAt: new Date(0),
    });

    it('have a bound, and together see each lane', async () => {
      const count = 2 * MAX_LANES + 10;
      await opened.store.insert(Array.from({ length: count }, (_, nth) => task(nth)));
      const seen = new Set<string>();
      for (let look = 0; look < 3; look += 1) {
        const { waiting } = await opened.store.look('work');
        expect(waiting).toHaveLength(MAX_LANES);
        for (const lane of waiting) seen.add(laneName(lane));
      }
      expect(seen.size).toBe(count);
    });

    it('see the first task of each of a few lanes at once, wherever the look before ended', async () => {
      await opened.store.insert(Array.from({ length: MAX_LANES + 10 }, (_, nth) => task(nth)));
      await opened.store.look('work');
      for (let nth = 0; nth < MAX_LANES; nth += 1) await opened.store.removeGroup('work', `job_${nth}`);
      expect((await opened.store.look('work')).waiting).toHaveLength(10);
    });

    it('see a task that was due when it was added, though the clock has gone back by a day since', async () => {
      const tomorrow = new Date(Date.now() + 24 * 3600 * 1000);
      await opened.store.insert([{ ...task(1), enqueuedAt: tomorrow, dueAt: tomorrow }]);
      await opened.store.wake([{ ...task(2), enqueuedAt: tomorrow, dueAt: tomorrow }]);
      await opened.store.insert([{ ...task(3), dueAt: tomorrow }]);
      expect((await opened.store.look('work')).waiting).toHaveLength(2);
      await opened.store.wake([{ ...task(3), enqueuedAt: tomorrow, dueAt: tomorrow }]);
      expect((await opened.store.look('work')).waiting).toHaveLength(3);
    });
  });
}
