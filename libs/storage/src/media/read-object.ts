import { giveBack } from './give-back.js';
import type { MediaStore } from './media-store.js';

/** A small object whole: a plan, or the audio of one chunk. @throws AppError not_found */
export async function readObject(media: MediaStore, key: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of await media.get(key)) parts.push(part);
  const whole = Buffer.concat(parts);
  parts.forEach(giveBack);
  return whole;
}
