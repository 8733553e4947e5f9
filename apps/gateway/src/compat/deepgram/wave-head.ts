import { numberOf, textOf, unsupportedParameter, type DeepgramQuery } from './deepgram-query.js';

/** Samples without a container. */
interface RawSamples {
  /** The format of a WAV file (RFC 2361): PCM, A-law, µ-law. */
  format: 1 | 6 | 7;
  bytes: number;
}

const RAW: Readonly<Record<string, RawSamples>> = { linear16: { format: 1, bytes: 2 }, linear32: { format: 1, bytes: 4 }, alaw: { format: 6, bytes: 1 }, mulaw: { format: 7, bytes: 1 } };
/** Encodings that are recognized by their bytes. */
const FRAMED: ReadonlySet<string> = new Set(['flac', 'opus', 'ogg-opus', 'speex', 'amr-nb', 'amr-wb']);

const HEAD_BYTES = 44;
const FORMAT_BYTES = 16;
/** The size of a body whose size is not known. */
const UNKNOWN_BYTES = 0xff_ff_ff_ff;

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
  const samples = RAW[encoding];
  if (!samples) throw unsupportedParameter('encoding', `This server cannot decode ${encoding.slice(0, 40)}.`);
  return sampleRate === undefined ? new Uint8Array(0) : headOf(samples, sampleRate, channels, length);
}

function headOf({ format, bytes }: RawSamples, sampleRate: number, channels: number, length: number | undefined): Uint8Array {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(length === undefined ? UNKNOWN_BYTES : Math.min(UNKNOWN_BYTES, length + HEAD_BYTES - 8), 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(FORMAT_BYTES, 16);
  head.writeUInt16LE(format, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * channels * bytes, 28);
  head.writeUInt16LE(channels * bytes, 32);
  head.writeUInt16LE(bytes * 8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(Math.min(UNKNOWN_BYTES, length ?? UNKNOWN_BYTES), 40);
  return head;
}
