import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@parlance/contracts';
import type { NewEvent, OutboxEvent } from '@parlance/event-bus';
import type { DatabaseFixture } from './database-fixture.js';

const { codec } = EVENTS['job.created'];

export const jobCreated = (jobId: string, sequence = 0): NewEvent => ({
  type: 'job.created',
  data: codec.fromJSON({ jobId, accountId: 'acc_1', sequence, metadata: { a: 'b' }, occurredAt: '2026-03-04T05:06:07.089Z' }),
});

export function describeOutbox(fixture: DatabaseFixture): void {
  describe('the outbox', () => {
    const pending = async (): Promise<OutboxEvent[]> => (await fixture.database.outbox.pending(1000)).flatMap(({ events }) => events);
    const sequences = async (key: string) =>
      (await pending()).filter((event) => event.key === key).map(({ data }) => 'sequence' in data && data.sequence);

    it('has the events of each write, stamped, and their data as it was given', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('job_1')]);
      const [event, ...more] = await pending();
      expect(more).toEqual([]);
      expect(event).toEqual({
        id: expect.stringMatching(/^evt_/),
        type: 'job.created',
        source: 'contract',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        key: 'job_1',
        data: jobCreated('job_1').data,
      });
    });

    it('gives an event the same id each time it is looked at', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('job_1')]);
      expect(await pending()).toEqual(await pending());
    });

    it('keeps the order of a document, over every kind of write', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1', 1), jobCreated('n1', 2)]);
      await fixture.notes.replace(fixture.note('n1'), 1, [jobCreated('n1', 3)]);
      for (const sequence of [4, 5]) {
        await fixture.notes.update('n1', (current) => current && { document: current, events: [jobCreated('n1', sequence)] });
      }
      expect(await sequences('n1')).toEqual([1, 2, 3, 4, 5]);
    });

    it('forgets what is settled, and that alone', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1', 1)]);
      const looked = await fixture.database.outbox.pending(10);
      await fixture.notes.replace(fixture.note('n1'), 1, [jobCreated('n1', 2)]);
      await fixture.notes.insert(fixture.note('n2'), [jobCreated('n2', 3)]);
      await fixture.database.outbox.settle(looked);
      expect(await sequences('n1')).toEqual([2]);
      expect(await sequences('n2')).toEqual([3]);
      await fixture.database.outbox.settle(looked);
      await fixture.database.outbox.settle([]);
      expect(await pending()).toHaveLength(2);
    });

    it('gives no more than asked for, so that the rest comes with the next look', async () => {
      for (const id of ['n1', 'n2', 'n3']) await fixture.notes.insert(fixture.note(id), [jobCreated(id)]);
      const first = await fixture.database.outbox.pending(2);
      expect(first).toHaveLength(2);
      await fixture.database.outbox.settle(first);
      expect(await pending()).toHaveLength(1);
    });

    it('leaves the document’s version alone', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1')]);
      await fixture.database.outbox.settle(await fixture.database.outbox.pending(10));
      expect(await fixture.notes.get('n1')).toEqual({ document: fixture.note('n1'), version: 1 });
    });

    it('has nothing of a write that failed', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      await expect(fixture.notes.insert(fixture.note('n1'), [jobCreated('n1')])).rejects.toThrow();
      await expect(fixture.notes.replace(fixture.note('n1'), 9, [jobCreated('n1')])).rejects.toThrow();
      expect(await pending()).toEqual([]);
    });

    it('keeps the events of a document that was removed', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1', 1)]);
      await fixture.notes.insert(fixture.note('n2'), [jobCreated('n2', 2)]);
      await fixture.notes.remove('n1');
      await fixture.notes.removeWhere({ owner: 'ada' });
      expect([await sequences('n1'), await sequences('n2')]).toEqual([[1], [2]]);
    });

    it('keeps what the bus refused apart, with the reason, until it is dropped or old', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1'), jobCreated('n2')]);
      const [first, second] = await pending();
      if (!first || !second) throw new Error('there are no events');
      const { outbox } = fixture.database;
      await outbox.setAside(first, 'event_too_large: Too large.');
      await outbox.setAside(first, 'again');
      await outbox.setAside({ ...second, type: 'job.exploded' } as unknown as OutboxEvent, 'event_unknown: Unknown.');
      const refusedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
      expect(await outbox.refused(1)).toEqual([{ event: first, reason: 'event_too_large: Too large.', refusedAt }]);
      const other = await fixture.connect();
      expect((await other.outbox.refused()).map(({ event }) => event.id).toSorted()).toEqual([first.id, second.id].toSorted());
      expect([await outbox.dropRefused(first.id), await outbox.dropRefused(first.id)]).toEqual([true, false]);
      await outbox.forgetRefused(new Date(0));
      expect(await outbox.refused()).toHaveLength(1);
      await outbox.forgetRefused(new Date(Date.now() + 1000));
      expect(await outbox.refused()).toEqual([]);
      expect(await pending()).toHaveLength(2);
    });

    it('erases what the bus refused of a job and of its chunks, but what tells of the erasure', async () => {
      const of = (type: 'chunk.requested' | 'job.deleted' | 'erasure.reported', jobId: string) =>
        ({ type, data: EVENTS[type].codec.fromJSON({ jobId, index: 3 }) }) as NewEvent;
      const kept = [jobCreated('job_10'), of('job.deleted', 'job_1'), of('erasure.reported', 'job_1')];
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('job_1'), of('chunk.requested', 'job_1'), ...kept]);
      const { outbox } = fixture.database;
      for (const event of await pending()) await outbox.setAside(event, 'event_too_large: Too large.');
      const left = async () => (await outbox.refused()).map(({ event }) => `${event.type} ${event.key}`).toSorted();
      expect(await left()).toHaveLength(5);
      await outbox.eraseRefused('job_1');
      await outbox.eraseRefused('job_2');
      expect(await left()).toEqual(['erasure.reported job_1', 'job.created job_10', 'job.deleted job_1']);
    });

    it('is there after a restart', async () => {
      await fixture.notes.insert(fixture.note('n1'), [jobCreated('n1')]);
      const before = await pending();
      await fixture.database.close();
      const other = await fixture.connect();
      expect((await other.outbox.pending(10)).flatMap(({ events }) => events)).toEqual(before);
    });

    it('tells of commits with events', async () => {
      let told = 0;
      fixture.database.outbox.onCommit(() => (told += 1));
      await fixture.notes.insert(fixture.note('n1'));
      await fixture.notes.update('n1', (current) => current && { document: current, events: [] });
      expect(told).toBe(0);
      await fixture.notes.insert(fixture.note('n2'), [jobCreated('n2')]);
      expect(told).toBe(1);
    });
  });
}
