import { wavHeader, type RawSamples } from '../wav-header.js';
import { textOf, unsupportedParameter } from '../request-texts.js';
import { numberOf, type DeepgramQuery } from './deepgram-query.js';

type Encoding = Pick<RawSamples, 'format' | 'bytes'>;

const RAW: ReadonlyMap<string, Encoding> = new Map([
  ['linear16', { format: 1, bytes: 2 }],
  ['linear32', { format: 1, bytes: 4 }],
  ['alaw', { format: 6, bytes: 1 }],
  ['mulaw', { format: 7, bytes: 1 }],
]);
/** Encodings that are recognized by their bytes. */
const FRAMED: ReadonlySet<string> = new Set(['flac', 'opus', 'ogg-opus', 'speex', 'amr-nb', 'amr-wb']);

/**
 * The header of a WAV file for a body of samples alone, which `encoding` and `sample_rate` describe; empty for files.
 * @param length bytes of the body; undefined: unknown
 * @throws AppError invalid_request
 */
export function waveHead(query: DeepgramQuery, length: number | undefined): Uint8Array {
  const encoding = textOf(query, 'encoding')?.toLowerCase();
  const sampleRate = numberOf(query, 'sample_rate', { min: 1000, max: 384_000 });
  const channels = numberOf(query, 'channels', { min: 1, max: 8 }) ?? 1;
  if (encoding === undefined || FRAMED.has(encoding)) return new Uint8Array(0);
  const format = RAW.get(encoding);
  if (!format) throw unsupportedParameter('encoding', `This server cannot decode ${encoding.slice(0, 40)}.`);
  return sampleRate === undefined ? new Uint8Array(0) : wavHeader({ ...format, sampleRate, channels }, length);
}
