import { live, transcripts, type ingest, type liveMedia, type LiveMediaService, type LiveService } from '@parlance/contracts';
import { AppError } from '@parlance/platform';

const RATE = 16_000;
const WINDOW_SAMPLES = 320;
const WINDOW_BYTES = 2 * WINDOW_SAMPLES;
const PROGRESS_WINDOWS = 50;

/** Seconds of 16 kHz audio of a "word", which the stand-in recognizes by the value of its samples; 0 is silence. */
export function tone(value: number, seconds: number): Buffer {
  const samples = new Int16Array(Math.round(seconds * RATE)).fill(value);
  return Buffer.from(samples.buffer);
}

/** Recognizes audio made of {@link tone}s in 20 ms windows: from each of its restart points it gives the same, as real recognizers do. */
export class StandInLive {
  readonly finished: ingest.FinishLiveRequest[] = [];
  readonly opened: live.OpenRecognition[] = [];
  /** Called for each window; may throw or wait. */
  beforeWindow: () => Promise<void> | void = () => {};
  /** Sent as a warning before each window, unless it is empty. */
  warning = '';
  beforeDecode: () => Promise<void> | void = () => {};

  liveService(): Partial<LiveService> {
    return { recognize: (requests) => this.recognize(requests) };
  }

  /** Of a container that is a magic word and samples. */
  mediaService(): LiveMediaService {
    const decode = (requests: AsyncIterable<liveMedia.DecodeRequest>) => this.decode(requests);
    return { decode } as LiveMediaService;
  }

  finishLive(request: ingest.FinishLiveRequest): void {
    this.finished.push(request);
  }

  private async *decode(requests: AsyncIterable<liveMedia.DecodeRequest>): AsyncGenerator<liveMedia.DecodeResponse> {
    let header = Buffer.alloc(0);
    for await (const { part } of requests) {
      if (part?.$case !== 'source') continue;
      await this.beforeDecode();
      const missing = Math.max(0, MAGIC.byteLength - header.byteLength);
      header = Buffer.concat([header, part.value.subarray(0, missing)]);
      if (header.byteLength === MAGIC.byteLength && !header.equals(MAGIC)) throw new AppError({ code: 'media_unsupported', message: 'This is no audio.' });
      yield { part: { $case: 'pcm', value: part.value.subarray(missing) } };
    }
  }

  private async *recognize(requests: AsyncIterable<live.RecognizeRequest>): AsyncGenerator<live.RecognizeResponse> {
    let run: Run | undefined;
    for await (const { part } of requests) {
      if (part?.$case === 'open') {
        this.opened.push(part.value);
        run = new Run(part.value);
        yield { event: { $case: 'opened', value: { engine: 'stand-in', mode: live.StreamingMode.STREAMING_MODE_NATIVE } } };
      } else if (part?.$case === 'pcm') yield* this.recognizeIn(run, part.value);
      else if (part) yield* run?.end(live.Endpoint.ENDPOINT_FINALIZE) ?? [];
    }
    yield* run?.end(live.Endpoint.ENDPOINT_END) ?? [];
  }

  private async *recognizeIn(run: Run | undefined, pcm: Buffer): AsyncGenerator<live.RecognizeResponse> {
    for (const value of run?.windowsOf(pcm) ?? []) {
      await this.beforeWindow();
      if (this.warning !== '') yield { event: { $case: 'warning', value: { code: 'stand_in', message: this.warning } } };
      yield* run?.window(value) ?? [];
    }
  }
}

export const MAGIC = Buffer.from('CONTAINER');

class Run {
  private rest: Buffer = Buffer.alloc(0);
  private at: number;
  private utterance: number;
  private words: { value: number; start: number; end: number }[] = [];
  private quiet = 0;
  private revision = 0;

  constructor(private readonly options: live.OpenRecognition) {
    this.at = options.startSample;
    this.utterance = options.utterancesBefore;
  }

  /** The value of each window that is complete. */
  *windowsOf(pcm: Buffer): Generator<number> {
    this.rest = Buffer.concat([this.rest, pcm]);
    for (; this.rest.byteLength >= WINDOW_BYTES; this.rest = this.rest.subarray(WINDOW_BYTES)) yield this.rest.readInt16LE(0);
  }

  *end(endpoint: live.Endpoint): Generator<live.RecognizeResponse> {
    const [first] = this.words;
    if (!first) return;
    const end = this.words.at(-1)?.end ?? this.at;
    yield { event: { $case: 'speechEnded', value: { at: end / RATE } } };
    this.utterance += 1;
    const words = this.words.map(({ value, start, end: until }) => transcripts.Word.fromPartial({ text: `w${value}`, start: start / RATE, end: until / RATE, confidence: 0.9 }));
    const segment = transcripts.Segment.fromPartial({ start: first.start / RATE, end: end / RATE, text: words.map(({ text }) => text).join(' '), words });
    yield { event: { $case: 'final', value: { utterance: this.utterance, segment, endpoint, untilSample: this.at, isPunctuated: false } } };
    this.words = [];
    this.revision = 0;
    this.quiet = 0;
  }

  *window(value: number): Generator<live.RecognizeResponse> {
    const start = this.at;
    this.at += WINDOW_SAMPLES;
    this.quiet = value === 0 ? this.quiet + 1 : 0;
    const last = this.words.at(-1);
    if (value !== 0 && last?.value === value) last.end = this.at;
    else if (value !== 0) {
      if (!last) yield { event: { $case: 'speechStarted', value: { at: start / RATE } } };
      this.words.push({ value, start, end: this.at });
      yield* this.partial();
    }
    if (last && this.quiet * 20 >= this.options.silenceMs) yield* this.end(live.Endpoint.ENDPOINT_SILENCE);
    else if (!last && value === 0 && this.quiet % PROGRESS_WINDOWS === 0) yield { event: { $case: 'progress', value: { untilSample: this.at } } };
  }

  private *partial(): Generator<live.RecognizeResponse> {
    if (!this.options.partials) return;
    const text = this.words.map(({ value }) => `w${value}`).join(' ');
    this.revision += 1;
    yield { event: { $case: 'partial', value: { utterance: this.utterance + 1, revision: this.revision, start: (this.words[0]?.start ?? 0) / RATE, end: this.at / RATE, text, stableCharacters: 0 } } };
  }
}
