import { describe, expect, it } from '@jest/globals';
import { NOTES, type DatabaseFixture, type Note } from './database-fixture.js';

export function describeUpdates(fixture: DatabaseFixture): void {
  describe('an update', () => {
    const ranked = (current: Note | undefined) => current && { document: { ...current, rank: (current.rank ?? 0) + 1 } };

    it('changes what is there', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      const expected = { document: fixture.note('n1', 0, { rank: 1 }), version: 2 };
      expect(await fixture.notes.update('n1', ranked)).toEqual({ stored: expected, changed: true });
      expect(await fixture.notes.get('n1')).toEqual(expected);
    });

    it('inserts what is not there, or leaves it', async () => {
      expect(await fixture.notes.update('n1', ranked)).toEqual({ stored: undefined, changed: false });
      const note = fixture.note('n1');
      expect(await fixture.notes.update('n1', (current) => (current ? undefined : { document: note }))).toEqual({
        stored: { document: note, version: 1 },
        changed: true,
      });
    });

    it('leaves all as it is when there is nothing to change', async () => {
      const stored = await fixture.notes.insert(fixture.note('n1'));
      const tampering = (current: Note | undefined) => {
        if (current) current.state = 'tampered with';
        return undefined;
      };
      expect(await fixture.notes.update('n1', tampering)).toEqual({ stored, changed: false });
      expect(await fixture.notes.get('n1')).toEqual(stored);
    });

    it('leaves all as it is when the change throws', async () => {
      const stored = await fixture.notes.insert(fixture.note('n1'));
      const failing = () => {
        throw new Error('no');
      };
      await expect(fixture.notes.update('n1', failing)).rejects.toThrow('no');
      expect(await fixture.notes.get('n1')).toEqual(stored);
    });

    it('loses no other update that comes at the same time', async () => {
      const other = await fixture.connect();
      const both = [fixture.notes, other.collection(NOTES)];
      const counted = (current: Note | undefined) => ranked(current ?? fixture.note('n1'));
      await Promise.all(Array.from({ length: 40 }, (_, index) => both[index % 2]?.update('n1', counted)));
      expect(await fixture.notes.get('n1')).toMatchObject({ document: { rank: 40 }, version: 40 });
    });

    it('gives a changed document no other id', async () => {
      await expect(fixture.notes.update('n1', () => ({ document: fixture.note('n2') }))).rejects.toThrow();
      expect(await fixture.notes.count()).toBe(0);
    });
  });
}
