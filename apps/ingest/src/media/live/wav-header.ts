import { common } from '@parlance/contracts';

const { LIVE_ENCODING_ALAW, LIVE_ENCODING_MULAW, LIVE_ENCODING_PCM_S16LE } = common.LiveEncoding;

/** Format tag of WAVE and bytes of a sample (RFC 2361). */
const FORMATS: Partial<Record<common.LiveEncoding, { tag: number; bytes: number }>> = {
  [LIVE_ENCODING_PCM_S16LE]: { tag: 1, bytes: 2 },
  [LIVE_ENCODING_ALAW]: { tag: 6, bytes: 1 },
  [LIVE_ENCODING_MULAW]: { tag: 7, bytes: 1 },
};

const MAX_UINT32 = 0xffff_ffff;
const DS64_BYTES = 28;

/** A WAV file around raw audio. */
export interface WavLayout {
  header: Buffer;
  /** The bytes of all whole frames. */
  dataBytes: number;
  /** Zero or one byte behind the data: chunks have an even length. */
  padding: Buffer;
}

/**
 * Lays out a WAV file for so many bytes of raw audio; a frame that is cut off is left out. From 4 GiB on it is RF64 (EBU Tech 3306).
 * @returns undefined of a container, which needs no header
 */
export function wavLayout({ encoding, sampleRate, channels }: common.LiveAudio, rawBytes: number): WavLayout | undefined {
  const format = FORMATS[encoding];
  if (!format) return undefined;
  const frameBytes = format.bytes * channels;
  const dataBytes = rawBytes - (rawBytes % frameBytes);
  const padding = Buffer.alloc(dataBytes % 2);
  const chunks = [formatChunk(format, sampleRate, channels), chunk('fact', uint32(Math.min(dataBytes / frameBytes, MAX_UINT32)))];
  const wholeBytes = 4 + chunks.reduce((sum, { length }) => sum + length, 0) + 8 + dataBytes + padding.length;
  const isLarge = wholeBytes > MAX_UINT32;
  const head = isLarge ? [ascii('RF64'), uint32(MAX_UINT32), ascii('WAVE'), sizes64(wholeBytes, dataBytes, dataBytes / frameBytes)] : [ascii('RIFF'), uint32(wholeBytes), ascii('WAVE')];
  return { header: Buffer.concat([...head, ...chunks, ascii('data'), uint32(isLarge ? MAX_UINT32 : dataBytes)]), dataBytes, padding };
}

function formatChunk({ tag, bytes }: { tag: number; bytes: number }, sampleRate: number, channels: number): Buffer {
  const frameBytes = bytes * channels;
  return chunk('fmt ', uint16(tag), uint16(channels), uint32(sampleRate), uint32(sampleRate * frameBytes), uint16(frameBytes), uint16(8 * bytes), uint16(0));
}

/** The sizes that 32 bits do not hold. */
const sizes64 = (wholeBytes: number, dataBytes: number, frames: number): Buffer => chunk('ds64', uint64(wholeBytes + 8 + DS64_BYTES), uint64(dataBytes), uint64(frames), uint32(0));

function chunk(id: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([ascii(id), uint32(content.length), content]);
}

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
