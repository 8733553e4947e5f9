import { common } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { SAMPLE_RATE } from '../decoder-arguments.js';
import { ALAW, MULAW } from './companding.js';
import { Resampler } from './resampler.js';

const { LIVE_ENCODING_ALAW, LIVE_ENCODING_MULAW, LIVE_ENCODING_PCM_S16LE } = common.LiveEncoding;

const TABLES: Partial<Record<common.LiveEncoding, Int16Array>> = { [LIVE_ENCODING_MULAW]: MULAW, [LIVE_ENCODING_ALAW]: ALAW };

/** Raw audio as s16le at 16 kHz, one channel. It has no structure that could harm a parser, so no other process decodes it. */
export async function* decodeRaw(source: AsyncIterable<Uint8Array>, audio: common.LiveAudio): AsyncGenerator<Uint8Array> {
  const decoder = new RawDecoder(checked(audio));
  for await (const bytes of source) {
    const pcm = decoder.decode(bytes);
    if (pcm.length > 0) yield pcm;
  }
  const rest = decoder.end();
  if (rest.length > 0) yield rest;
}

/** @throws AppError invalid_request */
function checked(audio: common.LiveAudio): common.LiveAudio {
  const { encoding, sampleRate, channels } = audio;
  const isEncoding = encoding === LIVE_ENCODING_PCM_S16LE || TABLES[encoding] !== undefined;
  if (isEncoding && sampleRate >= 8_000 && sampleRate <= 48_000 && channels >= 1 && channels <= 8) return audio;
  throw new AppError({ kind: 'invalid', code: 'invalid_request', message: 'Raw audio is pcm_s16le, mulaw or alaw at 8,000 to 48,000 Hz with 1 to 8 channels.' });
}

class RawDecoder {
  private readonly table: Int16Array | undefined;
  private readonly frameBytes: number;
  private readonly resampler: Resampler | undefined;
  /** The beginning of a frame. */
  private rest: Uint8Array = new Uint8Array(0);

  constructor(private readonly audio: common.LiveAudio) {
    this.table = TABLES[audio.encoding];
    this.frameBytes = audio.channels * (this.table ? 1 : 2);
    this.resampler = audio.sampleRate === SAMPLE_RATE ? undefined : new Resampler(audio.sampleRate, SAMPLE_RATE);
  }

  decode(bytes: Uint8Array): Uint8Array {
    const joined = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    const whole = joined.length - (joined.length % this.frameBytes);
    this.rest = joined.slice(whole);
    const mixed = this.mix(joined.subarray(0, whole));
    return toPcm(this.resampler ? this.resampler.push(mixed) : mixed);
  }

  /** A frame that is not whole is left out. */
  end(): Uint8Array {
    return toPcm(this.resampler?.end() ?? new Float64Array(0));
  }

  private mix(bytes: Uint8Array): Float64Array {
    const samples = this.table ? expanded(bytes, this.table) : littleEndian(bytes);
    const { channels } = this.audio;
    if (channels === 1) return samples;
    const mixed = new Float64Array(samples.length / channels);
    for (let index = 0; index < samples.length; index += 1) mixed[Math.floor(index / channels)] = (mixed[Math.floor(index / channels)] as number) + (samples[index] as number) / channels;
    return mixed;
  }
}

const expanded = (codes: Uint8Array, table: Int16Array): Float64Array => Float64Array.from(codes, (code) => table[code] as number);

function littleEndian(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const samples = new Float64Array(bytes.length / 2);
  for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(2 * index, true);
  return samples;
}

function toPcm(samples: Float64Array): Uint8Array {
  const pcm = Buffer.alloc(2 * samples.length);
  for (let index = 0; index < samples.length; index += 1) pcm.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(samples[index] as number))), 2 * index);
  return pcm;
}
