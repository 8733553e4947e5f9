import { createReadStream } from 'node:fs';
import { open, truncate, type FileHandle } from 'node:fs/promises';
import { BYTES_PER_SECOND } from './audio-decoder.js';

interface SpoolOptions {
  /** Called before so many seconds in all are on the disk. */
  admit: (seconds: number) => Promise<void>;
  /** Called after so many bytes more are. */
  onWritten: (bytes: number) => void;
}

/**
 * Decoded audio in scratch files, one for each channel: written once while it is listened to, then read by ranges. Memory holds one
 * block.
 */
export class PcmSpool {
  /** Bytes of the longest channel. */
  #longest = 0;
  /** Bytes of all channels. */
  #bytes = 0;
  #complete = false;

  /** @param files one for each channel, whose samples come in turn */
  constructor(
    private readonly files: readonly string[],
    private readonly options: SpoolOptions,
  ) {}

  /** Seconds of the longest channel so far, in whole milliseconds. */
  get duration(): number {
    return Math.floor((this.#longest / BYTES_PER_SECOND) * 1000) / 1000;
  }

  /** Seconds of all channels together. */
  get decodedSeconds(): number {
    return this.#bytes / BYTES_PER_SECOND;
  }

  /** The source was read to its end. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Writes audio whose samples come from all channels in turn, and passes it on, each block after it was written. */
  async *record(pcm: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const handles: FileHandle[] = [];
    try {
      for (const file of this.files) handles.push(await open(file, 'w'));
      for await (const block of wholeFrames(pcm, this.files.length)) {
        const longest = this.#longest + block.length / handles.length;
        await this.options.admit(longest / BYTES_PER_SECOND);
        for (const [channel, handle] of handles.entries()) await handle.appendFile(channelOf(block, channel, handles.length));
        this.wrote(block.length, longest);
        yield block;
      }
      this.#complete = true;
    } finally {
      for (const handle of handles) await handle.close();
    }
  }

  /** Writes the audio of each channel from a source of its own, one after the other, and passes it on. Shorter ones end in silence. */
  async *recordEach(tracks: readonly AsyncIterable<Uint8Array>[]): AsyncGenerator<Uint8Array> {
    for (const [channel, track] of tracks.entries()) yield* this.recordTrack(this.files[channel] as string, track);
    // The added bytes read as zeros, and take no room on the disk.
    for (const file of this.files) await truncate(file, this.#longest);
    this.#complete = true;
  }

  private async *recordTrack(file: string, track: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    await using handle = await open(file, 'w');
    let bytes = 0;
    for await (const block of track) {
      bytes += block.length;
      const longest = Math.max(this.#longest, bytes);
      await this.options.admit(longest / BYTES_PER_SECOND);
      await handle.appendFile(block);
      this.wrote(block.length, longest);
      yield block;
    }
  }

  /** @param start @param end seconds. */
  async *read(start: number, end: number, channel = 0): AsyncGenerator<Uint8Array> {
    const file = this.files[channel];
    if (file === undefined) throw new RangeError(`There is no channel ${channel}.`);
    // Opened when it is read: a store that fails before that would leave the file open.
    yield* createReadStream(file, { start: byteAt(start), end: byteAt(end) - 1 });
  }

  private wrote(bytes: number, longest: number): void {
    this.#bytes += bytes;
    this.#longest = longest;
    this.options.onWritten(bytes);
  }
}

/** The same bytes in blocks that end with a sample of the last channel. */
async function* wholeFrames(pcm: AsyncIterable<Uint8Array>, channels: number): AsyncGenerator<Uint8Array> {
  if (channels === 1) return yield* pcm;
  const frameBytes = channels * BYTES_PER_SAMPLE;
  let rest = new Uint8Array(0);
  for await (const block of pcm) {
    const bytes = rest.length === 0 ? block : Buffer.concat([rest, block]);
    const end = bytes.length - (bytes.length % frameBytes);
    if (end > 0) yield bytes.subarray(0, end);
    rest = bytes.slice(end);
  }
}

/** The samples of one channel of a block. */
function channelOf(block: Uint8Array, channel: number, channels: number): Uint8Array {
  if (channels === 1) return block;
  const samples = new Uint8Array(block.length / channels);
  for (let from = channel * BYTES_PER_SAMPLE, to = 0; to < samples.length; from += channels * BYTES_PER_SAMPLE, to += BYTES_PER_SAMPLE) {
    samples[to] = block[from] as number;
    samples[to + 1] = block[from + 1] as number;
  }
  return samples;
}

/** Always between two samples. */
const byteAt = (seconds: number): number => Math.round((seconds * BYTES_PER_SECOND) / BYTES_PER_SAMPLE) * BYTES_PER_SAMPLE;

const BYTES_PER_SAMPLE = 2;
