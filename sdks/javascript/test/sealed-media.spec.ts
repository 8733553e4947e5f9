import { describe, expect, it } from '@jest/globals';
import { Decrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { sealMedia } from '../src/sealed-media.js';
import type { FileSource } from '../src/files.js';

const CLEAR = new Uint8Array(Buffer.alloc(200_000, 'speech'));

/** Reads as an upload does, in pieces that follow each other. */
async function readWhole({ size, read, close }: FileSource, pieceBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < size; at += pieceBytes) pieces.push(await read(at, Math.min(at + pieceBytes, size)));
  await close?.();
  return new Uint8Array(Buffer.concat(pieces));
}

async function opened(sealed: Uint8Array, identity: string): Promise<Uint8Array> {
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  return decrypter.decrypt(sealed);
}

describe('sealMedia', () => {
  it.each([1000, 65_536, 1_000_000])('gives a file of known size, read in pieces of %i bytes, which each recipient can open', async (pieceBytes) => {
    const identities = [await generateX25519Identity(), await generateX25519Identity()];
    const recipients = await Promise.all(identities.map(identityToRecipient));
    const source = (await sealMedia(new File([CLEAR], 'meeting.mp3'), recipients)) as FileSource;
    expect(source.name).toBe('meeting.mp3.age');
    const sealed = await readWhole(source, pieceBytes);
    expect(sealed.length).toBe(source.size);
    for (const identity of identities) expect(Buffer.from(await opened(sealed, identity)).equals(CLEAR)).toBe(true);
    await expect(opened(sealed, await generateX25519Identity())).rejects.toThrow();
  });

  it('takes a source that uses the memory of a piece again for the next', async () => {
    const memory = new Uint8Array(100_000);
    const read = async (start: number, end: number) => {
      memory.fill(start / 65_536);
      return memory.subarray(0, end - start);
    };
    const identity = await generateX25519Identity();
    const source = (await sealMedia({ size: 200_000, read }, await identityToRecipient(identity))) as FileSource;
    const clear = await opened(await readWhole(source, 8_000_000), identity);
    expect([0, 65_536, 131_072, 199_999].map((at) => clear[at])).toEqual([0, 1, 2, 3]);
  });

  it('gives a stream of a stream', async () => {
    const identity = await generateX25519Identity();
    const sealed = (await sealMedia(new Blob([CLEAR]).stream(), await identityToRecipient(identity))) as ReadableStream<Uint8Array>;
    expect(Buffer.from(await opened(new Uint8Array(await new Response(sealed).arrayBuffer()), identity)).equals(CLEAR)).toBe(true);
  });

  it('refuses what is no recipient', async () => {
    await expect(sealMedia(CLEAR, 'age1nobody')).rejects.toThrow();
  });
});
