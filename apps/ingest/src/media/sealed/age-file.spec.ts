import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { armor, Encrypter } from 'age-encryption';
import fc from 'fast-check';
import { decryptAge, recognizeAge, type AgeIdentities } from './age-file.js';
import { privateKeyOf, recipientOf } from './media-key-pair.js';

const SEVENS = { id: 'k7', key: Buffer.alloc(32, 7) };
const EIGHTS = { id: 'k8', key: Buffer.alloc(32, 8) };

const file = (name: string) => readFile(`apps/ingest/test/age/${name}`);

async function encrypted(clear: Uint8Array, key = SEVENS): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await recipientOf(await privateKeyOf(key)));
  return encrypter.encrypt(clear);
}

async function* inPieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function identities(accepted = [SEVENS], retired: (typeof SEVENS)[] = []): Promise<AgeIdentities> {
  return { accepted: await Promise.all(accepted.map((key) => privateKeyOf(key))), retired: await Promise.all(retired.map((key) => privateKeyOf(key))) };
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

const codeOf = (bytes: Uint8Array, keys: AgeIdentities): Promise<unknown> => whole(decryptAge(inPieces(bytes), keys)).then(() => 'opened', (error: { code?: string }) => error.code);

describe('a file in the age format', () => {
  it.each(['go.age', 'go-two-recipients.age', 'rust.age'])('is recognised and opened as another implementation wrote it (%s)', async (name) => {
    const { ageFormat, bytes } = await recognizeAge(inPieces(await file(name), 5));
    expect(ageFormat).toBe('binary');
    expect((await whole(decryptAge(bytes, await identities()))).toString()).toBe('what was said');
  });

  it('is recognised as armored, and not as the binary format', async () => {
    const { ageFormat } = await recognizeAge(inPieces(Buffer.from(armor.encode(await encrypted(Buffer.from('what was said')))), 7));
    expect(ageFormat).toBe('armored');
  });

  it('is told from any other file, of which nothing is lost', async () => {
    for (const text of ['', 'age', 'age-encryption.org/v2\nand so on', 'RIFF and then a long recording', '-----BEGIN AGE ENCRYPTED FILE', '-----BEGIN CERTIFICATE-----\nand so on']) {
      const { ageFormat, bytes } = await recognizeAge(inPieces(Buffer.from(text), 3));
      expect([ageFormat, (await whole(bytes)).toString()]).toEqual(['none', text]);
    }
  });

  it.each([0, 1, 65_536, 65_537, 200_000])('of %i bytes is opened whole', async (length) => {
    const clear = Buffer.alloc(length, 'speech');
    expect((await whole(decryptAge(inPieces(await encrypted(clear)), await identities()))).equals(clear)).toBe(true);
  });

  it('that cannot be opened leaves its source closed', async () => {
    const source = { isClosed: false };
    const content = await encrypted(Buffer.alloc(200_000, 'speech'));
    async function* watched(): AsyncGenerator<Uint8Array> {
      try {
        yield* inPieces(content);
      } finally {
        source.isClosed = true;
      }
    }
    const { bytes, close } = await recognizeAge(watched());
    await expect(whole(decryptAge(bytes, await identities([EIGHTS])))).rejects.toMatchObject({ code: 'media_sealed_key_unknown' });
    await close();
    expect(source.isClosed).toBe(true);
  });

  it('says which key is missing: an unknown one, or one that is not accepted any more', async () => {
    expect(await codeOf(await encrypted(Buffer.from('x')), await identities([EIGHTS]))).toBe('media_sealed_key_unknown');
    expect(await codeOf(await encrypted(Buffer.from('x')), await identities([]))).toBe('media_sealed_key_unknown');
    expect(await codeOf(await encrypted(Buffer.from('x')), await identities([EIGHTS], [SEVENS]))).toBe('media_sealed_key_retired');
    expect(await codeOf(await file('passphrase.age'), await identities())).toBe('media_sealed_key_unknown');
  });

  it('is refused when a byte of it was changed, or its end is missing', async () => {
    const sealed = await encrypted(Buffer.alloc(140_000, 'speech'));
    const keys = await identities();
    const refused = new Set(['media_sealed_corrupt', 'media_sealed_key_unknown']);
    const position = fc.oneof(fc.integer({ min: 22, max: 400 }), fc.integer({ min: 22, max: sealed.length - 1 }));
    await fc.assert(
      fc.asyncProperty(position, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, change, isCut) => {
        const mutated = Buffer.from(isCut ? sealed.subarray(0, at) : sealed);
        if (!isCut) mutated[at] = (mutated[at] as number) ^ change;
        expect(refused).toContain(await codeOf(mutated, keys));
      }),
      { numRuns: 60 },
    );
    expect(await codeOf(Buffer.concat([sealed, Buffer.from('x')]), keys)).toBe('media_sealed_corrupt');
  });

  it('is refused for a header without an end, after a few bytes of it', async () => {
    let read = 0;
    const endless = async function* () {
      yield Buffer.from('age-encryption.org/v1\n');
      for (;;) {
        read += 4096;
        yield Buffer.alloc(4096, '-> X\n');
      }
    };
    await expect(whole(decryptAge(endless(), await identities()))).rejects.toThrow(expect.objectContaining({ code: 'media_sealed_corrupt' }));
    expect(read).toBeLessThan(100_000);
  });

  it('throws what its source throws: a store that is away is no damage of the file', async () => {
    const sealed = await encrypted(Buffer.alloc(140_000));
    const broken = async function* () {
      yield sealed.subarray(0, 70_000);
      throw new RangeError('the store is away');
    };
    await expect(whole(decryptAge(broken(), await identities()))).rejects.toThrow('the store is away');
  });
});
