import { afterAll, describe, expect, it } from '@jest/globals';
import { samplePcm } from '../../test/sample-pcm.js';
import { describeStreamingRecognizerContract } from '../contract/streaming-recognizer-contract.js';
import { FixtureRecognizer } from '../speech/fixture/fixture-recognizer.js';
import type { RecognitionRequest } from '../speech/speech-recognizer.js';
import { SileroStreams } from '../voice-activity/silero-streams.js';
import { ChunkStreamingRecognizer } from './chunk-streaming-recognizer.js';
import type { StreamingEvent, StreamingInput } from './streaming-recognizer.js';

const speech = new SileroStreams();
afterAll(() => speech.close());
const pcm = samplePcm('meeting.mp3').subarray(0, 9 * 32_000);
const request = { partials: true, silenceMs: 300, maxUtteranceMs: 20_000, signal: new AbortController().signal };

async function* asItArrives(blocks: Uint8Array): AsyncGenerator<StreamingInput> {
  for (let at = 0; at < blocks.byteLength; at += 3200) yield { pcm: blocks.subarray(at, at + 3200) };
}

async function collected(events: AsyncIterable<StreamingEvent>): Promise<StreamingEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

const eventsOf = (recognizer: ChunkStreamingRecognizer) => collected(recognizer.recognize(asItArrives(pcm), request));

const fixture = new ChunkStreamingRecognizer(new FixtureRecognizer(), speech);
const failing = () => new ChunkStreamingRecognizer(new FixtureRecognizer({ failTimes: 100 }), speech);
describeStreamingRecognizerContract('a chunk engine', () => ({ recognizer: fixture, speech: { pcm, language: 'en' }, failing }));

describe('ChunkStreamingRecognizer', () => {
  it('shows partials with growing stable parts', async () => {
    const partials = (await eventsOf(fixture)).filter((event) => event.type === 'partial');
    expect(partials.length).toBeGreaterThan(1);
    expect(partials.some(({ stableCharacters }) => stableCharacters > 0)).toBe(true);
  });

  it('recognizes what is being said while the final before it is awaited, and shows it after that final', async () => {
    const engine = new WaitingRecognizer();
    const input = async function* (): AsyncGenerator<StreamingInput> {
      yield* asItArrives(pcm.subarray(0, 2 * 32_000));
      engine.isFinalNext = true;
      yield 'finalize';
      yield* asItArrives(pcm.subarray(2 * 32_000));
      await engine.next.promise;
    };
    const events = await collected(new ChunkStreamingRecognizer(engine, speech).recognize(input(), request));
    const second = events.filter((event) => (event.type === 'partial' || event.type === 'final') && event.utterance <= 2).map((event) => `${event.type} ${'utterance' in event ? event.utterance : ''}`);
    expect(second.indexOf('partial 2')).toBe(second.indexOf('final 1') + 1);
    expect(second.lastIndexOf('partial 2')).toBeLessThan(second.indexOf('final 2'));
  });

  it('fails when a final recognition fails, with the error of the engine', async () => {
    await expect(eventsOf(failing())).rejects.toMatchObject({ code: 'engine_failed', retryable: true });
  });

  it('fails when the engine hangs, although no further audio comes', async () => {
    const hanging = new ChunkStreamingRecognizer(new FixtureRecognizer({ hangTimes: 100 }), speech, { deadlineSeconds: 0.2 });
    const silent = async function* (): AsyncGenerator<StreamingInput> {
      yield* asItArrives(pcm.subarray(0, 2 * 32_000));
      yield 'finalize';
      await new Promise(() => {});
    };
    await expect(collected(hanging.recognize(silent(), request))).rejects.toMatchObject({ code: 'engine_timeout', retryable: true });
  });

  it('never makes more calls at once than the engine wants', async () => {
    const engine = new CountingRecognizer({ parallelism: 1, delayMs: 5 });
    const recognizer = new ChunkStreamingRecognizer(engine, speech);
    await Promise.all([eventsOf(recognizer), eventsOf(recognizer), eventsOf(recognizer)]);
    expect(engine.most).toBe(1);
  });
});

/** The first final ends when a further call has begun. */
class WaitingRecognizer extends FixtureRecognizer {
  readonly next = Promise.withResolvers<void>();
  isFinalNext = false;
  private isWaiting = false;

  override async recognize(call: RecognitionRequest) {
    if (this.isWaiting) this.next.resolve();
    if (this.isFinalNext) {
      [this.isFinalNext, this.isWaiting] = [false, true];
      await this.next.promise;
    }
    return super.recognize(call);
  }
}

class CountingRecognizer extends FixtureRecognizer {
  most = 0;
  private running = 0;

  override async recognize(call: RecognitionRequest) {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      return await super.recognize(call);
    } finally {
      this.running -= 1;
    }
  }
}
