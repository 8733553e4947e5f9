import { describe, expect, it } from '@jest/globals';
import type { Consumer, DeadLetter } from '../event-bus.js';
import type { BusFixture } from './bus-fixture.js';
import { eventually } from '@parlance/platform/contract';

export function describeDeadLetters(fixture: BusFixture): void {
  describe('a dead letter', () => {
    /** A group that fails on the job's events until it is told to be well. */
    const ailing = async (job: string) => {
      const state = { well: false, handled: [] as string[] };
      const consumer: Consumer = fixture.consumer([job], ({ event }) => {
        if (!state.well) throw new Error('ill');
        state.handled.push(event.id);
      });
      const letters = () => fixture.bus.deadLetters.list({ group: consumer.group });
      const subscription = await fixture.bus.subscribe(consumer);
      const die = async (): Promise<DeadLetter> => {
        const before = (await letters()).length;
        await fixture.bus.publish([fixture.event(job)]);
        await eventually(async () => (await letters()).length > before, 'a dead letter');
        const [letter] = await letters();
        if (!letter) throw new Error('there is no letter');
        return letter;
      };
      return { state, consumer, subscription, letters, die };
    };

    it('can be listed by group and topic, newest first, and read by its id', async () => {
      const { consumer, die, letters } = await ailing(fixture.name('job'));
      const first = await die();
      const second = await die();
      const { group } = consumer;
      expect((await letters()).map(({ id }) => id)).toEqual([second.id, first.id]);
      expect(await fixture.bus.deadLetters.list({ group, topic: 'parlance.jobs.v1', limit: 1 })).toEqual([second]);
      expect(await fixture.bus.deadLetters.list({ group, topic: 'parlance.media.v1' })).toEqual([]);
      expect(await fixture.bus.deadLetters.get(first.id)).toEqual(first);
      expect(await fixture.bus.deadLetters.get('no-such-letter')).toBeUndefined();
    });

    it('is delivered once more, to its own group alone, when it is replayed', async () => {
      const job = fixture.name('job');
      const bystander: string[] = [];
      const { state, die, letters } = await ailing(job);
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void bystander.push(event.id)));
      const letter = await die();
      state.well = true;
      await fixture.bus.deadLetters.replay(letter.id);
      await eventually(() => state.handled.length === 1);
      expect(state.handled).toEqual([letter.event.id]);
      expect(await letters()).toEqual([]);
      const last = fixture.event(job);
      await fixture.bus.publish([last]);
      await eventually(() => state.handled.length === 2 && bystander.length >= 2);
      expect(bystander).toEqual([letter.event.id, last.id]);
    });

    it('is noticed by the running group when another process replays it', async () => {
      const { state, die } = await ailing(fixture.name('job'));
      const letter = await die();
      state.well = true;
      const other = await fixture.connect();
      await other.deadLetters.replay(letter.id);
      await eventually(() => state.handled.length === 1);
    });

    it('waits for its group, and for no other, when nobody subscribes', async () => {
      const job = fixture.name('job');
      const bystander: string[] = [];
      const { state, consumer, subscription, die } = await ailing(job);
      const letter = await die();
      await subscription.close();
      await fixture.bus.deadLetters.replay(letter.id);
      await fixture.bus.subscribe(fixture.consumer([job], ({ event }) => void bystander.push(event.id)));
      const last = fixture.event(job);
      await fixture.bus.publish([last]);
      await eventually(() => bystander.length >= 2);
      expect(bystander).toEqual([letter.event.id, last.id]);
      state.well = true;
      await fixture.bus.subscribe(consumer);
      await eventually(() => state.handled.length === 2);
      expect(state.handled.toSorted()).toEqual([letter.event.id, last.id].toSorted());
    });

    it('is replayed once, whoever subscribes later', async () => {
      const job = fixture.name('job');
      const { state, consumer, subscription, die } = await ailing(job);
      const letter = await die();
      state.well = true;
      await fixture.bus.deadLetters.replay(letter.id);
      await eventually(() => state.handled.length === 1);
      await subscription.close();
      await fixture.bus.subscribe(consumer);
      const last = fixture.event(job);
      await fixture.bus.publish([last]);
      await eventually(() => state.handled.length >= 2);
      expect(state.handled).toEqual([letter.event.id, last.id]);
    });

    it('is one again when the replay fails', async () => {
      const { die, letters } = await ailing(fixture.name('job'));
      const letter = await die();
      await fixture.bus.deadLetters.replay(letter.id);
      await eventually(async () => (await letters()).some(({ id }) => id !== letter.id), 'a new dead letter');
      expect((await letters()).map(({ event, attempts }) => [event.id, attempts])).toEqual([[letter.event.id, 3]]);
    });

    it('can be dropped', async () => {
      const { die, letters } = await ailing(fixture.name('job'));
      const letter = await die();
      await fixture.bus.deadLetters.drop(letter.id);
      expect(await letters()).toEqual([]);
    });

    it('cannot be replayed or dropped twice', async () => {
      const { die } = await ailing(fixture.name('job'));
      const letter = await die();
      await fixture.bus.deadLetters.drop(letter.id);
      const gone = expect.objectContaining({ kind: 'not_found' });
      await expect(fixture.bus.deadLetters.drop(letter.id)).rejects.toEqual(gone);
      await expect(fixture.bus.deadLetters.replay(letter.id)).rejects.toEqual(gone);
      await expect(fixture.bus.deadLetters.replay('no-such-letter')).rejects.toEqual(gone);
    });
  });
}
