/** Raw audio as the clients of a session send it. */
export interface RawAudio {
  encoding: 'pcm_s16le' | 'mulaw' | 'alaw';
  sampleRate: number;
  channels: number;
}

/** The rate of recognition, in Hz. */
export const RECOGNITION_RATE = 16_000;

const SAMPLE_BYTES = { pcm_s16le: 2, mulaw: 1, alaw: 1 } as const;
/** A sample of silence (ITU-T G.711 for mulaw and alaw). */
const SILENT_BYTE = { pcm_s16le: 0, mulaw: 0xff, alaw: 0xd5 } as const;

/** Bytes of one sample of all channels. */
export const frameBytes = ({ encoding, channels }: RawAudio): number => SAMPLE_BYTES[encoding] * channels;

export const bytesPerSecond = (audio: RawAudio): number => frameBytes(audio) * audio.sampleRate;

/** Bytes of so much audio, in whole frames. */
export const bytesOfMs = (audio: RawAudio, ms: number): number => Math.round((audio.sampleRate * ms) / 1000) * frameBytes(audio);

export const msOfBytes = (audio: RawAudio, bytes: number): number => Math.floor((bytes / bytesPerSecond(audio)) * 1000);

/** True for audio that recognizers take as it is. */
export const isRecognizable = ({ encoding, sampleRate, channels }: RawAudio): boolean => encoding === 'pcm_s16le' && sampleRate === RECOGNITION_RATE && channels === 1;

/** Silence in pieces, so that an hour of it is never in memory. */
export function* silence({ encoding }: RawAudio, bytes: number, pieceBytes = 64 * 1024): Generator<Buffer> {
  const piece = Buffer.alloc(Math.min(bytes, pieceBytes), SILENT_BYTE[encoding]);
  for (let left = bytes; left > 0; left -= piece.byteLength) yield left < piece.byteLength ? piece.subarray(0, left) : piece;
}
