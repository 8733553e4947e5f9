import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { engineFailed } from '../speech/engine-errors.js';

/**
 * Silero VAD v6 as scripts/batch-silero.py writes it: the weights and results of its authors' file, for many windows and streams in
 * one run.
 */
const SHIPPED = fileURLToPath(new URL('../../models/silero_vad_v6_batched.onnx', import.meta.url));
const SHA256 = '5477da472dcba3f28a86cc8eaea6be5ac3d0e67bf87667a4091f4a73d5b59743';

/**
 * The path of the model, after a check of its SHA-256: a damaged model may load and then find speech nowhere.
 * @param path of a copy of it; default: in this package
 * @throws AppError engine_failed, not retryable.
 */
export async function checkedModel(path = SHIPPED): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw engineFailed(`The voice activity model cannot be read: ${path}.`, { retryable: false, cause: error });
  });
  if (createHash('sha256').update(bytes).digest('hex') !== SHA256) {
    throw engineFailed(`The voice activity model is damaged: ${path}.`, { retryable: false });
  }
  return path;
}
