import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mediaKeys } from '@parlance/contracts';
import { StorageFolder } from '../../../test/storage-folder.js';
import { StoredAudio } from './stored-audio.js';

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

describe('stored audio', () => {
  let storage: StorageFolder;
  let count = 0;
  beforeAll(async () => (storage = await StorageFolder.open()));
  afterAll(() => storage[Symbol.asyncDispose]());

  /** @param pieces as [offset, generation, text] */
  const session = async (pieces: [number, number, string][], generations: { generation: number; from: number }[], acknowledged: number) => {
    const id = `job_${(count += 1)}`;
    for (const [offset, generation, text] of pieces) await storage.media.put(mediaKeys('acc_1', id).livePiece(offset, generation), one(Buffer.from(text)));
    return { id, accountId: 'acc_1', generations, acknowledged };
  };
  const read = async (of: Awaited<ReturnType<typeof session>>, from = 0) => {
    const parts: Buffer[] = [];
    for await (const part of new StoredAudio(storage.media).read(of, from)) parts.push(part);
    return Buffer.concat(parts).toString();
  };

  it('is read from any byte, in the order of its pieces', async () => {
    const stored = await session([[10, 1, 'klm'], [0, 1, 'abcdefghij']], [{ generation: 1, from: 0 }], 13);
    expect([await read(stored), await read(stored, 4), await read(stored, 10), await read(stored, 12), await read(stored, 13)]).toEqual(['abcdefghijklm', 'efghijklm', 'klm', 'm', '']);
  });

  it('has no piece of an older connection that came too late, nor one that was not acknowledged', async () => {
    const generations = [{ generation: 1, from: 0 }, { generation: 3, from: 4 }];
    const stored = await session([[0, 1, 'abcd'], [4, 1, 'LATE'], [4, 2, 'NONE'], [4, 3, 'ef'], [6, 3, 'gh'], [8, 3, 'unsaid']], generations, 8);
    expect(await read(stored)).toBe('abcdefgh');
  });

  it('of which a piece is missing is not read as if it was whole', async () => {
    await expect(read(await session([[0, 1, 'ab'], [4, 1, 'ef']], [{ generation: 1, from: 0 }], 6))).rejects.toMatchObject({ code: 'internal' });
    await expect(read(await session([[0, 1, 'ab']], [{ generation: 1, from: 0 }], 6))).rejects.toMatchObject({ code: 'internal' });
  });
});
