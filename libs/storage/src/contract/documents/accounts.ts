import { describe, expect, it } from '@jest/globals';
import type { CollectionDefinition, Document } from '../../documents/document-collection.js';
import type { DatabaseFixture } from './database-fixture.js';

interface Owned extends Document {
  accountId: string;
}

const LISTS: CollectionDefinition<Document> = { name: 'lists', account: 'id', indexes: [] };
const THINGS: CollectionDefinition<Owned> = { name: 'things', account: 'accountId', indexes: [{ fields: ['accountId'] }] };
const OTHERS: CollectionDefinition<Owned> = { name: 'others', indexes: [{ fields: ['accountId'] }] };

export function describeAccounts(fixture: DatabaseFixture): void {
  describe('the documents of an account', () => {
    const createdAt = '2026-01-01T00:00:00.000Z';

    it('are counted and removed in the collections that say how they belong to it, and others stay', async () => {
      const { database } = fixture;
      const [lists, things, others] = [database.collection(LISTS), database.collection(THINGS), database.collection(OTHERS)];
      for (const accountId of ['acc_1', 'acc_2']) {
        await lists.insert({ id: accountId, createdAt });
        for (const number of [1, 2]) await things.insert({ id: `${accountId}-${number}`, createdAt, accountId });
        await others.insert({ id: accountId, createdAt, accountId });
      }
      expect(await database.ofAccounts.count('acc_1')).toEqual(new Map([['lists', 1], ['things', 2]]));
      for (let times = 0; times < 2; times += 1) await database.ofAccounts.remove('acc_1');
      expect(await database.ofAccounts.count('acc_1')).toEqual(new Map());
      expect(await database.ofAccounts.count('acc_2')).toEqual(new Map([['lists', 1], ['things', 2]]));
      expect(await others.count({ accountId: 'acc_1' })).toBe(1);
    });
  });
}
