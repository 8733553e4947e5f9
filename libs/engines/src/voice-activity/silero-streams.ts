import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { TurnBatch } from '@parlance/platform';
import { engineFailed } from '../speech/engine-errors.js';
import { AnsweringProcess, type AnsweringProcessOptions } from './answering-process.js';
import { checkedModel } from './silero-model.js';
import { WINDOW_BYTES, type SpeechProbabilities, type SpeechProbabilityStream } from './speech-probabilities.js';

const PROGRAM = new URL('./silero-streams-worker.mjs', import.meta.url);
/** For each part of a block, the probabilities of its windows in thousandths. One function checks them: a schema for each number takes a tenth of the memory that a session allocates. */
const answerSchema = z.custom<number[][]>((answer) => Array.isArray(answer) && answer.every((part) => Array.isArray(part) && part.every(isThousandths)));
const isThousandths = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 1000;
const neverAborted = new AbortController().signal;
/** Bytes before the windows of a part: the numbers of its stream and of its windows. */
const HEAD_BYTES = 8;
const MAX_ANSWER_CHARACTERS = 2 ** 21;
/** Streams in a block. A larger one costs the model as much for each window, and its answer holds the event loop while all of them continue. */
const MAX_PARTS = 64;
/**
 * Windows are gathered for this time before they are judged; fewer than five streams do not wait. A window of a batch of 64 costs the
 * model 0.02 ms, a single one 0.1 ms, and each block costs the event loop a write that wakes the other process.
 */
const GATHER_MS_PER_STREAM = 0.2;
const MAX_GATHER_MS = 50;

interface SileroStreamsOptions extends Pick<AnsweringProcessOptions, 'answerMs'> {
  /** The path of the model; default: in this package. */
  model?: string;
  program?: URL;
}

interface Part {
  stream: number;
  windows: number;
  blocks: readonly Uint8Array[];
  answer: PromiseWithResolvers<number[]>;
}

/**
 * Silero VAD v6 for many streams at once. One process keeps the state of each stream, and judges the windows of all streams that
 * have some in one run of the model. When the process dies, its streams fail; the next stream starts another process.
 */
export class SileroStreams implements SpeechProbabilities {
  private judge: StreamJudge | undefined;
  private opened = 0;

  constructor(private readonly options: SileroStreamsOptions = {}) {}

  open(): SpeechProbabilityStream {
    if (!this.judge || this.judge.hasFailed) this.judge = new StreamJudge(this.start());
    const { judge } = this;
    judge.streams += 1;
    const stream = (this.opened += 1);
    let isOpen = true;
    return {
      judge: (blocks) => {
        if (!isOpen) throw engineFailed('The stream of the voice activity detector is closed.');
        return judge.probabilities(stream, blocks);
      },
      close: () => {
        if (isOpen) judge.forget(stream);
        isOpen = false;
      },
    };
  }

  async close(): Promise<void> {
    await this.judge?.close();
    this.judge = undefined;
  }

  private async start(): Promise<AnsweringProcess<number[][]>> {
    const { model, program = PROGRAM, answerMs } = this.options;
    return new AnsweringProcess(program, { model: await checkedModel(model) }, answerSchema, { answerMs, maxAnswerCharacters: MAX_ANSWER_CHARACTERS });
  }
}

/** One process with the streams that it judges. What they send within the time of gathering goes to it in few blocks. */
class StreamJudge {
  hasFailed = false;
  /** Streams that are open. */
  streams = 0;
  private readonly gathering = new TurnBatch<Part, void>(
    (_key, parts) => this.judgeAll(parts),
    () => this.gathered(),
  );

  constructor(private readonly process: Promise<AnsweringProcess<number[][]>>) {}

  probabilities(stream: number, blocks: readonly Uint8Array[]): Promise<number[]> {
    const windows = blocks.reduce((bytes, { byteLength }) => bytes + byteLength, 0) / WINDOW_BYTES;
    return this.add({ stream, windows, blocks, answer: Promise.withResolvers() });
  }

  /** A process that died has forgotten it already. */
  forget(stream: number): void {
    this.streams -= 1;
    this.add({ stream, windows: 0, blocks: [], answer: Promise.withResolvers() }).catch(() => {});
  }

  async close(): Promise<void> {
    this.hasFailed = true;
    await (await this.process.catch(() => undefined))?.close();
  }

  private gathered(): Promise<unknown> {
    const ms = Math.min(this.streams * GATHER_MS_PER_STREAM, MAX_GATHER_MS);
    return ms < 1 ? nextTurn() : after(ms);
  }

  private add(part: Part): Promise<number[]> {
    void this.gathering.add('', part);
    return part.answer.promise;
  }

  private async judgeAll(parts: readonly Part[]): Promise<void> {
    try {
      const process = await this.process;
      const ask = (from: number) => process.ask(parts.slice(from, from + MAX_PARTS).flatMap(bytesOf), neverAborted);
      let next = ask(0);
      for (let from = 0; from < parts.length; from += MAX_PARTS) {
        const answers = await next;
        // The process judges the next block while the streams of this one continue.
        if (from + MAX_PARTS < parts.length) next = ask(from + MAX_PARTS);
        for (const [at, { answer }] of parts.slice(from, from + MAX_PARTS).entries()) answer.resolve((answers[at] ?? []).map((thousandths) => thousandths / 1000));
      }
    } catch (error) {
      this.hasFailed = true;
      for (const { answer } of parts) answer.reject(error);
    }
  }
}

function bytesOf({ stream, windows, blocks }: Part): Uint8Array[] {
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32LE(stream, 0);
  head.writeUInt32LE(windows, 4);
  return [head, ...blocks];
}
