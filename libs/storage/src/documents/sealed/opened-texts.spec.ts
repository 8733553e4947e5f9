import { describe, expect, it } from '@jest/globals';
import type { DataKey } from '../../keys/data-keys.js';
import { newKey } from '../../keys/aead.js';
import type { CollectionDefinition, Document } from '../document-collection.js';
import { OpenedTexts } from './opened-texts.js';
import { SealedFields } from './sealed-fields.js';

interface Letter extends Document {
  text: string;
}

const definition = { name: 'letters', indexes: [], sealed: { fields: ['text'], owner: () => OWNER } } satisfies CollectionDefinition<Letter>;
const OWNER = { accountId: 'acc_1', holder: 'job_1' };
const letter = (id: string, text = 'hello'): Letter => ({ id, createdAt: '2026-01-01T00:00:00.000Z', text });

/** A key that counts how often its bytes are used. */
class CountedKey implements DataKey {
  uses = 0;
  private readonly bytes = newKey();

  constructor(readonly id: string) {}

  get key(): Buffer {
    this.uses += 1;
    return this.bytes;
  }
}

describe('the text that a key opened last', () => {
  const opening = (keepsOpened: boolean) => {
    const fields = new SealedFields<Letter>({ ...definition, sealed: { ...definition.sealed, keepsOpened } }, 'test');
    const key = new CountedKey('key_1');
    const sealed = (document: Letter) => fields.seal(document, OWNER, key);
    const usesOf = (...stored: Document[]) => {
      const before = key.uses;
      const texts = stored.map((document) => (fields.open(document, key).document as Letter).text);
      return { texts, uses: key.uses - before };
    };
    return { sealed, usesOf };
  };

  it('is not decrypted again where the collection keeps it', () => {
    const { sealed, usesOf } = opening(true);
    const first = sealed(letter('l1'));
    expect(usesOf(first, first, first)).toEqual({ texts: ['hello', 'hello', 'hello'], uses: 1 });
  });

  it('is decrypted each time elsewhere', () => {
    const { sealed, usesOf } = opening(false);
    const first = sealed(letter('l1'));
    expect(usesOf(first, first)).toEqual({ texts: ['hello', 'hello'], uses: 2 });
  });

  it('gives way to what was written since, and to another document', () => {
    const { sealed, usesOf } = opening(true);
    expect(usesOf(sealed(letter('l1')), sealed(letter('l1', 'changed')), sealed(letter('l2', 'other')))).toEqual({ texts: ['hello', 'changed', 'other'], uses: 3 });
  });

  it('is not kept when it is long', () => {
    const { sealed, usesOf } = opening(true);
    const long = sealed(letter('l1', 'x'.repeat(8192)));
    expect(usesOf(long, long).uses).toBe(2);
  });
});

describe('OpenedTexts', () => {
  it('keeps those of the latest 256 keys', () => {
    const texts = new OpenedTexts();
    const keys = Array.from({ length: 257 }, (_, nth) => new CountedKey(`key_${nth}`));
    for (const key of keys.slice(0, 256)) texts.keep(key, { documentId: 'l1', data: 'a', secret: 'b' });
    const found = () => keys.map((key) => texts.find(key, 'l1', 'a') === 'b');
    expect(found().filter(Boolean)).toHaveLength(256);
    texts.find(keys[0]!, 'l1', 'a');
    texts.keep(keys[256]!, { documentId: 'l1', data: 'a', secret: 'b' });
    expect(found().flatMap((isKept, nth) => (isKept ? [] : [nth]))).toEqual([1]);
  });

  it('knows a text only by the object of its key, as a later read of the key makes another', () => {
    const texts = new OpenedTexts();
    texts.keep(new CountedKey('key_1'), { documentId: 'l1', data: 'a', secret: 'b' });
    expect(texts.find(new CountedKey('key_1'), 'l1', 'a')).toBeUndefined();
  });
});
