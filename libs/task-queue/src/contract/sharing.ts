import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/platform/contract';
import { Gate, type QueueFixture } from './queue-fixture.js';

export function describeSharing(fixture: QueueFixture): void {
  describe('places', () => {
    const many = (accountId: string, count: number, rest = {}) => Array.from({ length: count }, (_, index) => fixture.task(`${accountId} ${index}`, { accountId, ...rest }));
    const ofAccount = (ids: readonly string[], accountId: string) => ids.filter((id) => id.startsWith(accountId)).length;

    it('are all of one account while it is alone, and half of a second one\'s as soon as tasks end', async () => {
      const gate = new Gate();
      const workers = [await fixture.connect(), await fixture.connect()];
      for (const queue of workers) await queue.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal), { capacity: 2 }));
      const [queue] = workers;
      await queue?.add('work', many('acc_a', 40));
      await eventually(() => ofAccount(gate.inside, 'acc_a') === 4);
      await queue?.add('work', many('acc_b', 20));
      for (const before of [0, 1]) {
        gate.release(gate.inside.find((id) => id.startsWith('acc_a')));
        await eventually(() => gate.inside.length === 4 && ofAccount(gate.inside, 'acc_b') > before);
      }
      expect([ofAccount(gate.inside, 'acc_a'), ofAccount(gate.inside, 'acc_b')]).toEqual([2, 2]);
      gate.open();
      await eventually(async () => (await queue?.backlog('work'))?.waiting === 0);
    });

    it('are not left free while any account has work', async () => {
      const gate = new Gate();
      const queue = await fixture.connect();
      await queue.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal), { capacity: 4 }));
      await queue.add('work', [...many('acc_a', 1), ...many('acc_b', 10)]);
      await eventually(() => gate.inside.length === 4);
      expect([ofAccount(gate.inside, 'acc_a'), ofAccount(gate.inside, 'acc_b')]).toEqual([1, 3]);
      gate.open();
    });

    it('of one queue are shared without regard to what an account runs in another', async () => {
      const queue = await fixture.connect();
      const gate = new Gate();
      const done: string[] = [];
      await queue.work(fixture.worker(({ id }, { signal }) => gate.pass(id, signal), { queue: 'slow', capacity: 8 }));
      await queue.add('slow', many('acc_a', 8));
      await eventually(() => gate.inside.length === 8);
      await queue.add('work', [...many('acc_a', 5), ...many('acc_b', 5)]);
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 10);
      expect(ofAccount(done.slice(0, 4), 'acc_a')).toBe(2);
      gate.open();
    });

    it('of one account go to its background tasks after the others, but for a share, and are removed with their group', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      const group = (name: string, count: number, isBackground: boolean) => Array.from({ length: count }, (_, index) => fixture.task(`${name} ${index}`, { group: name, isBackground }));
      await queue.add('work', [...group('later', 5, true), ...group('gone', 2, true), ...group('first', 40, false)]);
      expect(await queue.removeGroup('work', 'gone')).toBe(2);
      await queue.work(fixture.worker(({ id, group: name, isBackground }) => void done.push(`${id} ${name} ${isBackground ?? false}`), { capacity: 1 }));
      await eventually(() => done.length === 45);
      const places = done.flatMap((text, index) => (text.startsWith('later') ? [index] : []));
      expect(done.filter((text) => text.endsWith('later true'))).toHaveLength(5);
      expect(places.filter((place) => place < 16)).toEqual([]);
      expect(places.filter((place) => place < 36)).toHaveLength(2);
    });

    it('of one account go to its groups in turns', async () => {
      const queue = await fixture.connect();
      const done: string[] = [];
      const group = (name: string, count: number) => Array.from({ length: count }, (_, index) => fixture.task(`${name} ${index}`, { group: name }));
      await queue.add('work', [...group('long', 20), ...group('short', 3)]);
      await queue.work(fixture.worker(({ id }) => void done.push(id)));
      await eventually(() => done.length === 23);
      expect(done.slice(0, 6).filter((id) => id.startsWith('short'))).toHaveLength(3);
    });
  });
}
