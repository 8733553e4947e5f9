import { mediaError } from './media-error.js';

/** Telephone speech has 8,000 Hz; the lowest that codecs of recordings are used with is half of it. */
const MIN_SAMPLE_RATE = 4000;
/** Third-order ambisonics has 16 channels, a large broadcast file 32. */
const MAX_CHANNELS = 64;
/**
 * Twice what silence takes in the codec that writes it shortest, WavPack at 8 kHz (0.116). Others, measured over ten minutes: AAC
 * and ALAC in MP4 0.022, Vorbis 0.011, FLAC 0.007 (with blocks of 4,096 samples 0.047), Opus with DTX 0.004 (at most 0.06), MP3 0.001.
 */
const MAX_SECONDS_PER_BYTE = 0.25;
/** So much is unpacked from any file: rare codecs write silence in longer frames. */
const ALWAYS_ALLOWED_SECONDS = 600;

/** Seconds that a file of so many bytes may state or unpack to. */
export const maxPlausibleSeconds = (sizeBytes: number): number => ALWAYS_ALLOWED_SECONDS + sizeBytes * MAX_SECONDS_PER_BYTE;

/** The description of a file by a probe, before anything is decoded. Unknown rates and lengths are 0. */
interface StatedMedia {
  sampleRate: number;
  channels: number;
  seconds: number;
  sizeBytes: number;
}

/** @throws AppError media_implausible */
export function refuseImplausible({ sampleRate, channels, seconds, sizeBytes }: StatedMedia): void {
  if (sampleRate > 0 && sampleRate < MIN_SAMPLE_RATE) throw implausible(`has a sample rate of ${sampleRate} Hz; at least ${MIN_SAMPLE_RATE} Hz are required`);
  if (channels > MAX_CHANNELS) throw implausible(`has ${channels} channels; at most ${MAX_CHANNELS} are supported`);
  if (seconds > maxPlausibleSeconds(sizeBytes)) throw implausible(`states ${Math.round(seconds)} seconds of audio, more than its ${sizeBytes} bytes can contain`);
}

/** Sound that comes out of a file although its bytes cannot hold it: gaps in time stamps become silence. */
export const unpacksTooFar = (sizeBytes: number) => implausible(`decodes to more than ${Math.floor(maxPlausibleSeconds(sizeBytes))} seconds of audio, more than its ${sizeBytes} bytes can contain`);

const implausible = (what: string) => mediaError('media_implausible', `The file ${what}.`);
