import type { MediaStore } from './media-store.js';

/** A small object whole: a plan, or the audio of one chunk. @throws AppError not_found */
export async function readObject(media: Pick<MediaStore, 'get'>, key: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of await media.get(key)) parts.push(part);
  const whole = Buffer.concat(parts);
  parts.forEach(giveBack);
  return whole;
}

/**
 * Frees the memory of bytes at once; they cannot be read any longer. Garbage collection underestimates the size of audio: tens
 * of megabytes would stay allocated. Bytes that share their memory with others are kept.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
