import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Query } from '../../documents/document-collection.js';
import type { DatabaseFixture } from './database-fixture.js';

export function describeQueries(fixture: DatabaseFixture): void {
  describe('a query', () => {
    beforeEach(async () => {
      const notes = [
        fixture.note('n1', 1, { state: 'open', rank: 3, starred: true, labels: { team: 'red', 'odd "key.$[0]': 'yes' } }),
        fixture.note('n2', 2, { state: 'closed', rank: 2, starred: false, labels: { team: 'blue' } }),
        fixture.note('n3', 3, { state: 'open', rank: 1, labels: { team: 'red', tier: 'gold' } }),
        fixture.note('n4', 4, { state: 'open', owner: 'bob', body: { text: 'hi', lines: [] } }),
        fixture.note('n5', 4, { state: 'open', rank: 10, owner: 'bob' }),
      ];
      for (const note of notes) await fixture.notes.insert(note);
    });

    const ids = async (query?: Query) => (await fixture.notes.find(query)).items.map(({ document }) => document.id);

    it('finds everything, newest first, ties by id', async () => {
      expect(await ids()).toEqual(['n5', 'n4', 'n3', 'n2', 'n1']);
      expect(await ids({ direction: 'ascending' })).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    });

    it('finds by equality of every field it is given', async () => {
      expect(await ids({ where: { owner: 'ada' } })).toEqual(['n3', 'n2', 'n1']);
      expect(await ids({ where: { owner: 'ada', state: 'open' } })).toEqual(['n3', 'n1']);
      expect(await ids({ where: { owner: 'ada', starred: true } })).toEqual(['n1']);
      expect(await ids({ where: { owner: 'ada', starred: false } })).toEqual(['n2']);
      expect(await ids({ where: { 'body.text': 'hi' } })).toEqual(['n4']);
      expect(await ids({ where: { owner: 'nobody' } })).toEqual([]);
    });

    it('takes undefined as no condition', async () => {
      expect(await ids({ where: { owner: 'ada', state: undefined } })).toEqual(['n3', 'n2', 'n1']);
    });

    it('finds by any key below a wildcard, whatever the key looks like', async () => {
      expect(await ids({ where: { owner: 'ada', 'labels.team': 'red' } })).toEqual(['n3', 'n1']);
      expect(await ids({ where: { owner: 'ada', 'labels.team': 'red', 'labels.tier': 'gold' } })).toEqual(['n3']);
      expect(await ids({ where: { owner: 'ada', 'labels.odd "key.$[0]': 'yes' } })).toEqual(['n1']);
      expect(await ids({ where: { owner: 'ada', 'labels.tier': 'red' } })).toEqual([]);
      expect(await ids({ where: { owner: 'bob', 'labels.team': 'red' } })).toEqual([]);
    });

    it('finds lists of words by the beginnings of some, and within them counts and goes on from page to page', async () => {
      const words: [string, string[]][] = [['n1', ['budget', 'november']], ['n2', ['budget', 'büro%']], ['n3', ['low', 'bud']], ['n4', ['budget']]];
      for (const [id, list] of words) await fixture.notes.update(id, (note) => note && { document: { ...note, words: list } });
      expect(await ids({ where: { owner: 'ada', 'words[]': 'bud' } })).toEqual(['n3', 'n2', 'n1']);
      expect(await ids({ where: { owner: 'ada', 'words[]': 'budget' } })).toEqual(['n2', 'n1']);
      expect(await ids({ where: { owner: 'ada', 'words[]': 'bud nov' } })).toEqual(['n1']);
      expect(await ids({ where: { owner: 'ada', 'words[]': 'büro%' } })).toEqual(['n2']);
      expect(await ids({ where: { owner: 'ada', 'words[]': 'udget' } })).toEqual([]);
      expect(await ids({ where: { owner: 'ada', 'words[]': '%' } })).toEqual([]);
      const page = await fixture.notes.find({ where: { owner: 'ada', 'words[]': 'bud' }, limit: 2 });
      expect(await ids({ where: { owner: 'ada', 'words[]': 'bud' }, limit: 2, cursor: page.nextCursor ?? '' })).toEqual(['n1']);
      expect(await fixture.notes.count({ owner: 'ada', 'words[]': 'bu' })).toBe(3);
    });

    it('finds within bounds, the lower one included', async () => {
      const [from, to] = [fixture.note('', 2).createdAt, fixture.note('', 4).createdAt];
      expect(await ids({ range: { field: 'createdAt', gte: from, lt: to } })).toEqual(['n3', 'n2']);
      expect(await ids({ where: { owner: 'ada' }, range: { field: 'createdAt', gte: from } })).toEqual(['n3', 'n2']);
      expect(await ids({ where: { state: 'open' }, range: { field: 'rank', lt: 10 }, orderBy: 'rank' })).toEqual(['n1', 'n3']);
    });

    it('orders by another field, by value, leaving out what lacks it', async () => {
      expect(await ids({ where: { state: 'open' }, orderBy: 'rank' })).toEqual(['n5', 'n1', 'n3']);
      expect(await ids({ where: { state: 'open' }, orderBy: 'rank', direction: 'ascending' })).toEqual(['n3', 'n1', 'n5']);
    });

    it('finds by an index that has some documents only, and what has come into it or left it', async () => {
      const urgent = { where: { mood: "it's urgent", owner: 'ada' }, orderBy: 'rank' };
      const moods: [string, string, number][] = [['n1', "it's urgent", 3], ['n2', 'calm', 2], ['n3', "it's urgent", 1]];
      for (const [id, mood, rank] of moods) await fixture.notes.update(id, (note) => note && { document: { ...note, mood, rank } });
      expect(await ids(urgent)).toEqual(['n1', 'n3']);
      expect(await fixture.notes.count({ mood: "it's urgent" })).toBe(2);
      await fixture.notes.update('n1', (note) => note && { document: { ...note, mood: 'calm' } });
      await fixture.notes.update('n2', (note) => note && { document: { ...note, mood: "it's urgent" } });
      expect(await ids(urgent)).toEqual(['n2', 'n3']);
      expect(await ids({ where: { mood: 'calm' } })).toEqual(['n1']);
      expect(await fixture.notes.removeWhere({ mood: "it's urgent" })).toBe(2);
    });

    it('stops at its limit, 20 by default', async () => {
      expect(await ids({ limit: 2 })).toEqual(['n5', 'n4']);
      for (let more = 0; more < 30; more += 1) await fixture.notes.insert(fixture.note(`m${more}`));
      expect(await ids()).toHaveLength(20);
    });

    it('counts and removes by equality', async () => {
      expect(await fixture.notes.count()).toBe(5);
      expect(await fixture.notes.count({ owner: 'ada', 'labels.team': 'red' })).toBe(2);
      expect(await fixture.notes.removeWhere({ owner: 'ada', state: 'open' })).toBe(2);
      expect(await fixture.notes.removeWhere({ owner: 'ada', state: 'open' })).toBe(0);
      expect(await ids()).toEqual(['n5', 'n4', 'n2']);
    });

    it('sums a number that an index is ordered by, of documents that have it', async () => {
      expect(await fixture.notes.sum('rank', { state: 'open' })).toBe(14);
      expect(await fixture.notes.sum('rank', { owner: 'ada', starred: undefined })).toBe(6);
      expect(await fixture.notes.sum('rank', { owner: 'carl' })).toBe(0);
      await fixture.notes.remove('n1');
      expect(await fixture.notes.sum('rank')).toBe(13);
      await expect(fixture.notes.sum('slug')).rejects.toThrow(/slug/);
    });

    it('refuses to remove everything for the lack of a condition', async () => {
      await expect(fixture.notes.removeWhere({ owner: undefined })).rejects.toThrow();
      expect(await fixture.notes.count()).toBe(5);
    });

    it('refuses paths that no index has', async () => {
      await expect(fixture.notes.find({ where: { rank: 1 } })).rejects.toThrow(/rank/);
      await expect(fixture.notes.find({ orderBy: 'slug' })).rejects.toThrow(/slug/);
      await expect(fixture.notes.count({ "owner') = 1 --": 'x' })).rejects.toThrow();
    });
  });
}
