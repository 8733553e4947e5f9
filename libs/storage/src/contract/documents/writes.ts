import { describe, expect, it } from '@jest/globals';
import { NOTES, type DatabaseFixture } from './database-fixture.js';
import { jobCreated } from './outbox.js';

const duplicate = expect.objectContaining({ kind: 'conflict', code: 'duplicate' });
const versionConflict = expect.objectContaining({ kind: 'conflict', code: 'version_conflict' });

export function describeWrites(fixture: DatabaseFixture): void {
  describe('a document', () => {
    it('comes back as it was stored, in its first version', async () => {
      const note = fixture.note('n1', 0, { body: { text: 'Grüße 👋 "quoted"', lines: [1, 2.5, -3] }, labels: { 'a.b $"c': 'd' } });
      expect(await fixture.notes.insert(note)).toEqual({ document: note, version: 1 });
      expect(await fixture.notes.get('n1')).toEqual({ document: note, version: 1 });
      expect(await fixture.notes.get('n2')).toBeUndefined();
    });

    it('keeps null apart from what is not there', async () => {
      const stored = await fixture.notes.insert(fixture.note('n1', 0, { body: null, slug: undefined }));
      expect(stored.document).toStrictEqual(fixture.note('n1', 0, { body: null }));
      expect((await fixture.notes.get('n1'))?.document).toStrictEqual(fixture.note('n1', 0, { body: null }));
    });

    it('does not change when what was given or what was got is changed', async () => {
      const note = fixture.note('n1', 0, { labels: { a: 'b' } });
      const stored = await fixture.notes.insert(note);
      Object.assign(note.labels ?? {}, { a: 'changed' });
      Object.assign(stored.document.labels ?? {}, { a: 'changed' });
      expect((await fixture.notes.get('n1'))?.document.labels).toEqual({ a: 'b' });
    });

    it('is there for other processes, and after a restart', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      const other = await fixture.connect();
      expect(await other.collection(NOTES).get('n1')).toMatchObject({ version: 1 });
      await fixture.database.close();
      expect(await other.collection(NOTES).get('n1')).toMatchObject({ version: 1 });
    });

    it('is inserted where none is, with its events, and else changes nothing', async () => {
      expect(await fixture.notes.insertIfAbsent(fixture.note('n1', 0, { slug: 'a' }), [jobCreated('n1')])).toEqual({ document: fixture.note('n1', 0, { slug: 'a' }), version: 1 });
      expect(await fixture.notes.insertIfAbsent(fixture.note('n1', 5), [jobCreated('n1')])).toBeUndefined();
      expect(await fixture.notes.insertIfAbsent(fixture.note('n2', 0, { slug: 'a' }), [jobCreated('n2')])).toBeUndefined();
      expect((await fixture.notes.get('n1'))?.version).toBe(1);
      expect(await fixture.notes.get('n2')).toBeUndefined();
      expect((await fixture.database.outbox.pending(10)).flatMap(({ events }) => events)).toHaveLength(1);
    });

    it('is replaced where its version is the expected one, with its events, and else not changed', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      expect(await fixture.notes.replaceIf(fixture.note('n1', 0, { rank: 1 }), 1, [jobCreated('n1')])).toEqual({ document: fixture.note('n1', 0, { rank: 1 }), version: 2 });
      expect(await fixture.notes.replaceIf(fixture.note('n1', 0, { rank: 2 }), 1, [jobCreated('n1')])).toBeUndefined();
      expect(await fixture.notes.replaceIf(fixture.note('n2'), 1)).toBeUndefined();
      expect((await fixture.notes.get('n1'))?.document.rank).toBe(1);
      expect((await fixture.database.outbox.pending(10)).flatMap(({ events }) => events)).toHaveLength(1);
    });

    it('is inserted once', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      await expect(fixture.notes.insert(fixture.note('n1', 1, { state: 'other' }))).rejects.toEqual(duplicate);
      expect((await fixture.notes.get('n1'))?.document.state).toBe('open');
    });

    it('is inserted behind others in their order, up to the first that is there already, with the events of those that are', async () => {
      await fixture.notes.insert(fixture.note('n3', 0, { slug: 'taken' }));
      const told = (id: string) => ({ document: fixture.note(id), events: [jobCreated(id)] });
      expect(await fixture.notes.insertInOrder([told('n1'), told('n2'), told('n3'), told('n4')])).toBe(2);
      expect(await fixture.notes.insertInOrder([told('n4'), { document: fixture.note('n5', 0, { slug: 'taken' }) }, told('n6')])).toBe(1);
      expect(await fixture.notes.insertInOrder([told('n7'), told('n8')])).toBe(2);
      expect(await fixture.notes.insertInOrder([])).toBe(0);
      const { items } = await fixture.notes.find({ direction: 'ascending' });
      expect(items.map(({ document }) => document.id).toSorted()).toEqual(['n1', 'n2', 'n3', 'n4', 'n7', 'n8']);
      const pending = await fixture.database.outbox.pending(100);
      expect(pending.flatMap(({ events }) => events.map(({ key }) => key)).toSorted()).toEqual(['n1', 'n2', 'n4', 'n7', 'n8']);
    });

    it('is there to read, by others as well, when it is to be flushed soon', async () => {
      expect(await fixture.notes.insertInOrder([{ document: fixture.note('n1') }, { document: fixture.note('n2') }], { flush: 'soon' })).toBe(2);
      expect((await fixture.notes.find()).items).toHaveLength(2);
      await fixture.database.flush();
    });

    it('is one of its kind where an index says so', async () => {
      await fixture.notes.insert(fixture.note('n1', 0, { slug: 'hello' }));
      await fixture.notes.insert(fixture.note('n2', 0, { slug: 'hello', owner: 'bob' }));
      await expect(fixture.notes.insert(fixture.note('n3', 0, { slug: 'hello' }))).rejects.toEqual(duplicate);
      await fixture.notes.insert(fixture.note('n4', 0, { slug: 'bye' }));
      await expect(fixture.notes.replace(fixture.note('n4', 0, { slug: 'hello' }), 1)).rejects.toEqual(duplicate);
      await fixture.notes.remove('n1');
      await fixture.notes.insert(fixture.note('n3', 0, { slug: 'hello' }));
    });

    it('does not clash with others for a field that they lack', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      await fixture.notes.insert(fixture.note('n2'));
      expect(await fixture.notes.count()).toBe(2);
    });

    it('is replaced in the version that was read, and in no other', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      const closed = fixture.note('n1', 5, { state: 'closed' });
      expect(await fixture.notes.replace(closed, 1)).toEqual({ document: closed, version: 2 });
      await expect(fixture.notes.replace(fixture.note('n1'), 1)).rejects.toEqual(versionConflict);
      await expect(fixture.notes.replace(fixture.note('n9'), 1)).rejects.toEqual(versionConflict);
      expect(await fixture.notes.get('n1')).toEqual({ document: closed, version: 2 });
    });

    it('is removed, in one version alone when that is asked', async () => {
      await fixture.notes.insert(fixture.note('n1'));
      await fixture.notes.replace(fixture.note('n1'), 1);
      await expect(fixture.notes.remove('n1', 1)).rejects.toEqual(versionConflict);
      expect(await fixture.notes.remove('n1', 2)).toBe(true);
      expect(await fixture.notes.remove('n1', 2)).toBe(false);
      expect(await fixture.notes.remove('n1')).toBe(false);
      expect(await fixture.notes.get('n1')).toBeUndefined();
      expect(await fixture.notes.insert(fixture.note('n1'))).toMatchObject({ version: 1 });
    });

    it('fails alone where it conflicts, among others written at the same time', async () => {
      await fixture.notes.insert(fixture.note('n1', 0, { slug: 'hello' }));
      const writes = [
        fixture.notes.insert(fixture.note('n2'), [jobCreated('n2')]),
        fixture.notes.insert(fixture.note('n1'), [jobCreated('n1')]),
        fixture.notes.insert(fixture.note('n3', 0, { slug: 'hello' }), [jobCreated('n3')]),
        fixture.notes.replace(fixture.note('n1'), 9, [jobCreated('n1')]),
        fixture.notes.insert(fixture.note('n4'), [jobCreated('n4')]),
      ];
      const conflicts = (await Promise.allSettled(writes)).map((result) => (result.status === 'rejected' ? result.reason.code : undefined));
      expect(conflicts).toEqual([undefined, 'duplicate', 'duplicate', 'version_conflict', undefined]);
      expect((await fixture.notes.find()).items.map(({ document }) => document.id).toSorted()).toEqual(['n1', 'n2', 'n4']);
      const events = (await fixture.database.outbox.pending(10)).flatMap((pending) => pending.events);
      expect(events.map(({ key }) => key).toSorted()).toEqual(['n2', 'n4']);
    });

    it('is stored as it was when it was given', async () => {
      const note = fixture.note('n1', 0, { labels: { a: 'b' } });
      const inserted = fixture.notes.insert(note);
      Object.assign(note.labels ?? {}, { a: 'changed' });
      await inserted;
      expect((await fixture.notes.get('n1'))?.document.labels).toEqual({ a: 'b' });
    });

    it('belongs to its collection alone', async () => {
      const others = fixture.database.collection({ ...NOTES, name: 'other_notes' });
      await fixture.notes.insert(fixture.note('n1', 0, { slug: 'hello' }));
      await others.insert(fixture.note('n1', 0, { slug: 'hello' }));
      await others.remove('n1');
      expect(await fixture.notes.count()).toBe(1);
    });
  });

  describe('the database', () => {
    it('can be checked, and closed twice', async () => {
      await fixture.database.check();
      await fixture.database.close();
      await fixture.database.close();
      await expect(fixture.database.check()).rejects.toThrow();
    });
  });
}
