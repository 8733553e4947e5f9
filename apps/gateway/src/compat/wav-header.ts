/** Samples without a container. */
export interface RawSamples {
  /** The format of a WAV file (RFC 2361): PCM, A-law, µ-law. */
  format: 1 | 6 | 7;
  /** Bytes of a sample of one channel. */
  bytes: number;
  sampleRate: number;
  channels: number;
}

const HEADER_BYTES = 44;
const FORMAT_BYTES = 16;
/** The size of a body whose size is not known, as ffmpeg writes it into a pipe. */
const UNKNOWN_BYTES = 0xff_ff_ff_ff;

/** The header of a WAV file. @param length bytes of the samples; undefined: unknown */
export function wavHeader({ format, bytes, sampleRate, channels }: RawSamples, length?: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(length === undefined ? UNKNOWN_BYTES : Math.min(UNKNOWN_BYTES, length + HEADER_BYTES - 8), 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(FORMAT_BYTES, 16);
  header.writeUInt16LE(format, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * channels * bytes, 28);
  header.writeUInt16LE(channels * bytes, 32);
  header.writeUInt16LE(bytes * 8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(Math.min(UNKNOWN_BYTES, length ?? UNKNOWN_BYTES), 40);
  return header;
}
