import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { engineFailed } from '../speech/engine-errors.js';

const SHIPPED = fileURLToPath(new URL('../../models/silero_vad_v6.onnx', import.meta.url));
const SHA_256 = '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3';

/**
 * The path of the Silero VAD v6 model, after a check of its SHA-256: a damaged model may load and then find speech nowhere.
 * @throws AppError engine_failed, not retryable.
 */
export async function checkedModel(path: string = SHIPPED): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw engineFailed(`The voice activity model cannot be read: ${path}.`, { retryable: false, cause: error });
  });
  if (createHash('sha256').update(bytes).digest('hex') !== SHA_256) {
    throw engineFailed(`The voice activity model is damaged: ${path}.`, { retryable: false });
  }
  return path;
}
