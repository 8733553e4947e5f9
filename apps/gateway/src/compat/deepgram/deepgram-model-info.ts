import { createHash } from 'node:crypto';

/** A model as the answers of Deepgram describe it. */
interface DeepgramModelInfo {
  name: string;
  version: string;
  arch: string;
}

/** Engines here have a name and no version. */
export const modelInfo = (name: string): DeepgramModelInfo => ({ name, version: 'parlance', arch: 'parlance' });

/** A UUID that is always the same for a name (RFC 9562, version 8). */
export function modelUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
