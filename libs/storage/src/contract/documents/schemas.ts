import { describe, expect, it } from '@jest/globals';
import type { CollectionDefinition, Document } from '../../documents/document-collection.js';
import type { DatabaseFixture } from './database-fixture.js';

interface Person extends Document {
  name: { given: string; family: string };
}

/** As an older version of the product has them. */
const WITH_ONE_NAME: CollectionDefinition<Document & { name: string }> = { name: 'people', indexes: [] };

const WITH_TWO_NAMES: CollectionDefinition<Person> = {
  name: 'people',
  indexes: [],
  schema: {
    version: 3,
    upgrade: (document, from) => {
      const [given = '', family = ''] = (document as unknown as { name: string }).name.split(' ');
      return { ...document, name: { given, family: `${family}/${from}` } };
    },
  },
};

export function describeSchemas(fixture: DatabaseFixture): void {
  describe('a document of another schema', () => {
    const ADA = { id: 'p1', createdAt: '2026-01-01T00:00:00.000Z', name: 'Ada Lovelace' };
    const UPGRADED = { ...ADA, name: { given: 'Ada', family: 'Lovelace/1' } };
    const older = () => fixture.database.collection(WITH_ONE_NAME);
    const newer = async () => (await fixture.connect()).collection(WITH_TWO_NAMES);

    it('is upgraded when it is read', async () => {
      await older().insert(ADA);
      const people = await newer();
      expect(await people.get('p1')).toMatchObject({ document: UPGRADED, version: 1 });
      expect((await people.find()).items).toEqual([{ document: UPGRADED, version: 1 }]);
      expect((await older().get('p1'))?.document).toEqual(ADA);
    });

    it('is stored in its new form with the next write', async () => {
      await older().insert(ADA);
      const people = await newer();
      const { stored } = await people.update('p1', (current) => current && { document: { ...current, name: { ...current.name, family: 'King' } } });
      const changed = { document: { ...ADA, name: { given: 'Ada', family: 'King' } }, version: 2 };
      expect(stored).toEqual(changed);
      expect(await people.get('p1')).toMatchObject(changed);
      expect(Object.keys((await people.get('p1'))?.document ?? {}).toSorted()).toEqual(['createdAt', 'id', 'name']);
    });

    it('is refused by name when it is newer', async () => {
      const people = await newer();
      await people.insert(UPGRADED);
      const refusal = { code: 'newer_document', message: expect.stringContaining('p1 in people was written by a newer version of Parlance (schema 3') };
      await expect(older().get('p1')).rejects.toMatchObject(refusal);
      await expect(older().find()).rejects.toMatchObject(refusal);
      await expect(older().update('p1', () => undefined)).rejects.toMatchObject(refusal);
      expect((await people.get('p1'))?.document).toEqual(UPGRADED);
    });
  });
}
