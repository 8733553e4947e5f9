import { beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@parlance/platform';
import type { CollectionDefinition, Document, DocumentCollection } from '../../documents/document-collection.js';
import { SealedDocumentDatabase } from '../../documents/sealed/sealed-document-database.js';
import { newKey } from '../../keys/aead.js';
import { DocumentKeyRecords } from '../../keys/key-records.js';
import { LocalKeyProvider } from '../../keys/provider/local/local-key-provider.js';
import { WrappedDataKeys, type DocumentKeys } from '../../keys/wrapped-data-keys.js';
import type { DatabaseFixture } from './database-fixture.js';
import { jobCreated } from './outbox.js';

interface Letter extends Document {
  accountId: string;
  jobId: string;
  state: string;
  text?: string;
  lines?: { from: string }[];
}

/** As an older version of the product has them, and as code without the keys reads them. */
const PLAIN: CollectionDefinition<Letter> = { name: 'letters', indexes: [{ fields: ['state'] }] };

const LETTERS: CollectionDefinition<Letter> = {
  ...PLAIN,
  sealed: { fields: ['text', 'lines'], owner: ({ accountId, jobId }) => ({ accountId, holder: jobId }), keepsOpened: true },
};

export function describeSealing(fixture: DatabaseFixture): void {
  describe('a document with sealed fields', () => {
    const provider = new LocalKeyProvider('test', [{ version: 1, key: newKey() }]);
    const keysOf = () => new WrappedDataKeys({ records: new DocumentKeyRecords(fixture.database, systemClock), provider, clock: systemClock });
    const letter = (number: number, rest: Partial<Letter> = {}): Letter => ({
      id: `l${number}`,
      createdAt: new Date(Date.UTC(2026, 0, number)).toISOString(),
      accountId: 'acc_1',
      jobId: `job_${number}`,
      state: 'open',
      text: `canary ${number} 👋`,
      lines: [{ from: 'canary Ada' }],
      ...rest,
    });
    let keys: WrappedDataKeys;
    let letters: DocumentCollection<Letter>;
    beforeEach(() => {
      keys = keysOf();
      letters = new SealedDocumentDatabase(fixture.database, 'test', keys).collection(LETTERS);
    });

    const stored = async () => (await fixture.database.collection(PLAIN).find()).items.map(({ document }) => document);

    it('comes back as it was given, however it was written, and shows nothing in the database', async () => {
      expect(await letters.insert(letter(1))).toEqual({ document: letter(1), version: 1 });
      expect(await letters.insertIfAbsent(letter(2), [jobCreated('job_2')])).toEqual({ document: letter(2), version: 1 });
      expect(await letters.insertInOrder([{ document: letter(3) }, { document: letter(1) }])).toBe(1);
      expect(await letters.replace(letter(1, { text: 'canary new' }), 1)).toEqual({ document: letter(1, { text: 'canary new' }), version: 2 });
      expect(await letters.replaceIf(letter(2), 7)).toBeUndefined();
      const { stored: updated } = await letters.update('l3', (current) => current && { document: { ...current, text: `${current.text} changed` } });
      expect(updated).toEqual({ document: letter(3, { text: 'canary 3 👋 changed' }), version: 2 });
      expect(await letters.update('l4', (current) => (current ? undefined : { document: letter(4) }))).toEqual({ stored: { document: letter(4), version: 1 }, changed: true });
      expect(await letters.update('l4', () => undefined)).toEqual({ stored: { document: letter(4), version: 1 }, changed: false });
      const texts = ['canary new', 'canary 2 👋', 'canary 3 👋 changed', 'canary 4 👋'];
      expect((await letters.find({ where: { state: 'open' }, direction: 'ascending' })).items.map(({ document }) => document.text)).toEqual(texts);
      expect((await letters.get('l1'))?.document).toEqual(letter(1, { text: 'canary new' }));
      expect(JSON.stringify(await stored())).not.toMatch(/canary/);
    });

    it('gets its key at the same time as those that are inserted with it', async () => {
      const all = Promise.withResolvers<void>();
      let asked = 0;
      const together: DocumentKeys = {
        cached: () => undefined,
        lookup: (owners) => keys.lookup(owners),
        find: (accountId, holder) => keys.find(accountId, holder),
        destroy: (accountId, holder) => keys.destroy(accountId, holder),
        of: async (accountId, holder) => {
          asked += 1;
          if (asked === 3) all.resolve();
          await all.promise;
          return keys.of(accountId, holder);
        },
      };
      const written = new SealedDocumentDatabase(fixture.database, 'test', together).collection(LETTERS);
      expect(await written.insertInOrder([1, 2, 3].map((number) => ({ document: letter(number) })))).toBe(3);
      expect((await letters.find({ direction: 'ascending' })).items.map(({ document }) => document)).toEqual([letter(1), letter(2), letter(3)]);
    });

    it('is opened by another process, and after a restart', async () => {
      await letters.insert(letter(1));
      await letters.get('l1');
      const other = new SealedDocumentDatabase(await fixture.connect(), 'test', keysOf()).collection(LETTERS);
      expect((await other.get('l1'))?.document).toEqual(letter(1));
      expect(await other.update('l1', (current) => current && { document: { ...current, text: 'canary new' } })).toMatchObject({ changed: true, stored: { document: letter(1, { text: 'canary new' }) } });
      expect((await letters.get('l1'))?.document).toEqual(letter(1, { text: 'canary new' }));
    });

    it('is the reader’s own, who may change it', async () => {
      await letters.insert(letter(1));
      for (const line of (await letters.get('l1'))?.document.lines ?? []) line.from = 'changed';
      expect((await letters.get('l1'))?.document).toEqual(letter(1));
    });

    it('can have been written in clear before, and is sealed with its next write', async () => {
      await fixture.database.collection(PLAIN).insert(letter(1));
      expect((await letters.get('l1'))?.document).toEqual(letter(1));
      await letters.update('l1', (current) => current && { document: { ...current, state: 'read' } });
      expect((await letters.get('l1'))?.document).toEqual(letter(1, { state: 'read' }));
      expect(JSON.stringify(await stored())).not.toMatch(/canary/);
    });

    it('keeps its sealed form in a change of other fields, and gets another one with a change of these, also within them', async () => {
      const envelope = async () => (await stored()).map((document) => (document as unknown as { sealed: { data: string } }).sealed.data)[0];
      await letters.insert(letter(1));
      const before = await envelope();
      await letters.update('l1', (current) => current && { document: { ...current, state: 'read' } });
      expect(await envelope()).toBe(before);
      await letters.update('l1', (current) => {
        for (const line of current?.lines ?? []) line.from = 'canary Bob';
        return current && { document: current };
      });
      expect(await envelope()).not.toBe(before);
      expect((await letters.get('l1'))?.document).toEqual(letter(1, { state: 'read', lines: [{ from: 'canary Bob' }] }));
    });

    it('is sealed by a migration when it is in clear, also a field that the definition names since, but not as a remain of an erasure', async () => {
      const raw = fixture.database.collection(PLAIN);
      for (const number of [1, 2, 3]) await raw.insert(letter(number));
      await letters.insert(letter(4));
      const older: CollectionDefinition<Letter> = { ...LETTERS, sealed: { ...LETTERS.sealed!, fields: ['lines'] } };
      await new SealedDocumentDatabase(await fixture.connect(), 'test', keys).collection(older).insert(letter(5));
      await keys.destroy('acc_1', 'job_3');
      const database = new SealedDocumentDatabase(await fixture.connect(), 'test', keys);
      const all = database.collection(LETTERS);
      const migrate = async (options = {}) => {
        for await (const counts of database.sealStored(options)) return counts;
        return undefined;
      };
      const before = await stored();
      expect(await migrate({ dryRun: true })).toEqual({ collection: 'letters', sealed: 3, skipped: 1 });
      expect(await stored()).toEqual(before);
      expect(await migrate()).toEqual({ collection: 'letters', sealed: 3, skipped: 1 });
      expect(await migrate()).toEqual({ collection: 'letters', sealed: 0, skipped: 1 });
      expect(JSON.stringify((await stored()).filter(({ id }) => id !== 'l3'))).not.toMatch(/canary/);
      expect((await all.find({ direction: 'ascending' })).items.map(({ document }) => document)).toEqual([1, 2, 3, 4, 5].map((number) => letter(number)));
    });

    it('is as removed once its key is destroyed, but for its removal', async () => {
      await letters.insertInOrder([{ document: letter(1) }, { document: letter(2) }]);
      expect((await letters.get('l1'))?.document).toEqual(letter(1));
      await keys.destroy('acc_1', 'job_1');
      expect(await letters.get('l1')).toBeUndefined();
      expect((await letters.find()).items.map(({ document }) => document.id)).toEqual(['l2']);
      expect(await letters.update('l1', () => ({ document: letter(1, { text: 'back' }) }))).toEqual({ stored: undefined, changed: false });
      await expect(letters.insert(letter(5, { jobId: 'job_1' }))).rejects.toMatchObject({ code: 'key_destroyed' });
      expect(await letters.count()).toBe(2);
      expect(await letters.remove('l1')).toBe(true);
    });

    it('cannot take the place of another one, also not right after that was read', async () => {
      await letters.insertInOrder([{ document: letter(1) }, { document: letter(2, { jobId: 'job_1' }) }]);
      await letters.get('l2');
      const raw = fixture.database.collection(PLAIN);
      const sealed = (await raw.get('l2'))?.document as unknown as object;
      await raw.update('l1', () => ({ document: { ...sealed, id: 'l1' } as Letter }));
      await expect(letters.get('l1')).rejects.toMatchObject({ code: 'keys_unavailable' });
    });

    it('needs no key when it has nothing to seal', async () => {
      const { text: _text, lines: _lines, ...empty } = letter(1);
      await letters.insert(empty);
      expect((await letters.get('l1'))?.document).toEqual(empty);
      expect(await keys.find('acc_1', 'job_1')).toBeUndefined();
    });

    it('is not read without the keys, and not as one that is not there', async () => {
      await letters.insert(letter(1));
      const withoutKeys = new SealedDocumentDatabase(await fixture.connect(), 'test', undefined).collection(LETTERS);
      await expect(withoutKeys.get('l1')).rejects.toMatchObject({ kind: 'unavailable', code: 'keys_unavailable' });
      await expect(withoutKeys.update('l1', () => undefined)).rejects.toMatchObject({ code: 'keys_unavailable' });
    });

    it('is upgraded from the stored form of an older version', async () => {
      await letters.insert(letter(1));
      const upgraded: CollectionDefinition<Letter> = { ...LETTERS, schema: { version: 2, upgrade: (document) => ({ ...(document as Letter), text: `${(document as Letter).text}, upgraded` }) } };
      const newer = new SealedDocumentDatabase(await fixture.connect(), 'test', keys).collection(upgraded);
      expect((await newer.get('l1'))?.document.text).toBe('canary 1 👋, upgraded');
      await newer.update('l1', (current) => current && { document: current });
      expect((await newer.get('l1'))?.document.text).toBe('canary 1 👋, upgraded');
      await expect(letters.get('l1')).rejects.toMatchObject({ code: 'newer_document' });
    });

    it('cannot seal what queries use', () => {
      const database = new SealedDocumentDatabase(fixture.database, 'test', keys);
      expect(() => database.collection({ ...LETTERS, sealed: { ...LETTERS.sealed!, fields: ['state'] } })).toThrow(/state of letters cannot be sealed/);
    });
  });
}
