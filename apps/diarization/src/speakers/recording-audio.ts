import type { AudioPiece } from '@parlance/engines';
import { giveBack, readObject, type MediaStore } from '@parlance/storage';
import { parseChunkPlan, type PlannedChunk } from '@parlance/transcript';

/** Yields the chunks of a recording that have speech, as ingest cut them. Each chunk is read only when it is requested. */
export async function* recordingAudio(media: MediaStore, planKey: string): AsyncGenerator<AudioPiece> {
  const { chunks } = parseChunkPlan(new TextDecoder().decode(await readObject(media, planKey)));
  for (const chunk of chunks) if (chunk.speech.length > 0) yield pieceOf(media, chunk);
}

const pieceOf = (media: MediaStore, { start, speech, audioKey }: PlannedChunk): AudioPiece => ({ start, speech, pcm: bytesOf(media, audioKey) });

async function* bytesOf(media: MediaStore, key: string): AsyncGenerator<Uint8Array> {
  for await (const bytes of await media.get(key)) {
    yield bytes;
    giveBack(bytes);
  }
}
