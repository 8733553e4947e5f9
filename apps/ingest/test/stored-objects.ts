import type { MediaStore } from '@parlance/storage';

/** All bytes of an object. @throws AppError not_found. */
export async function readObject(store: MediaStore, key: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of await store.get(key)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function writeObject(store: MediaStore, key: string, content: Uint8Array): Promise<void> {
  await store.put(
    key,
    (async function* () {
      yield content;
    })(),
  );
}

export async function keysUnder(store: MediaStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}
