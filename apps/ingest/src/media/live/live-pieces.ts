import type { MediaKeys } from '@parlance/contracts';
import { readObject, type MediaStore } from '@parlance/storage';
import { z } from 'zod';

const list = z.array(z.string());

/** Keeps which pieces make up the recording, in order. They are too many for the document of the job: one for each second. */
export async function storePieceList(store: Pick<MediaStore, 'put'>, keys: MediaKeys, pieces: readonly string[]): Promise<void> {
  await store.put(
    keys.livePieces,
    (async function* () {
      yield Buffer.from(JSON.stringify(pieces));
    })(),
  );
}

/** @throws AppError not_found */
export async function readPieceList(store: Pick<MediaStore, 'get'>, keys: MediaKeys): Promise<string[]> {
  return list.parse(JSON.parse(Buffer.from(await readObject(store, keys.livePieces)).toString('utf8')));
}

/** Also pieces that are in no list: those of an older connection that came late. */
export async function removePieces(store: Pick<MediaStore, 'remove' | 'removePrefix'>, keys: MediaKeys): Promise<void> {
  await store.removePrefix(keys.livePrefix);
  await store.remove(keys.livePieces);
}
