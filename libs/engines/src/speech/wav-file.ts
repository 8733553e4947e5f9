import { BYTES_PER_SECOND, SAMPLE_RATE } from './pcm-format.js';

/** The samples (s16le, 16 kHz, mono) as a RIFF WAVE file. */
export function wavFile(pcm: Uint8Array): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + pcm.byteLength, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // channels
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(BYTES_PER_SECOND, 28);
  header.writeUInt16LE(2, 32); // bytes a frame
  header.writeUInt16LE(16, 34); // bits a sample
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm.byteLength, 40);
  const file = new Uint8Array(header.byteLength + pcm.byteLength);
  file.set(header);
  file.set(pcm, header.byteLength);
  return file;
}
