import { setImmediate as nextTurn, setTimeout as after } from 'node:timers/promises';
import { z } from 'zod';
import { TurnBatch } from '@parlance/platform';
import { engineFailed } from '../speech/engine-errors.js';
import { AnsweringProcess, type AnsweringProcessOptions } from './answering-process.js';
import { checkedModel } from './silero-model.js';
import { WINDOW_BYTES, type SpeechProbabilities, type SpeechProbabilityStream } from './speech-probabilities.js';

const PROGRAM = new URL('./silero-streams-worker.mjs', import.meta.url);
/** For each part of a block, the probabilities of its windows in thousandths. */
const answerSchema = z.array(z.array(z.int().min(0).max(1000)));
const neverAborted = new AbortController().signal;
/** Bytes before the windows of a part: the numbers of its stream and of its windows. */
const HEAD_BYTES = 8;
const MAX_BYTES_OF_PART = 256 * WINDOW_BYTES;
/** A thousand streams with a part of the maximum size each. */
const MAX_ANSWER_CHARACTERS = 2 ** 21;
/**
 * Windows are gathered for this time before they are judged; fewer than five streams do not wait. A window of a batch of 32 costs the
 * model 0.06 ms, a single one 0.15 ms, and each block costs the event loop a write that wakes the other process.
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
  windows: Uint8Array;
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
      judge: (windows) => {
        if (!isOpen) throw engineFailed('The stream of the voice activity detector is closed.');
        return judge.probabilities(stream, windows);
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

/** One process with the streams that it judges. What they send within the time of gathering goes to it in one block. */
class StreamJudge {
  hasFailed = false;
  /** Streams that are open. */
  streams = 0;
  private readonly blocks = new TurnBatch<Part, Map<Part, number[]>>(
    (_key, parts) => this.ask(parts),
    () => this.gathered(),
  );

  constructor(private readonly process: Promise<AnsweringProcess<number[][]>>) {}

  async probabilities(stream: number, windows: Uint8Array): Promise<number[]> {
    const found: number[] = [];
    for (let at = 0; at < windows.byteLength; at += MAX_BYTES_OF_PART) {
      const part = { stream, windows: windows.subarray(at, at + MAX_BYTES_OF_PART) };
      found.push(...((await this.blocks.add('', part)).get(part) ?? []));
    }
    return found;
  }

  /** A process that died has forgotten it already. */
  forget(stream: number): void {
    this.streams -= 1;
    this.blocks.add('', { stream, windows: new Uint8Array(0) }).catch(() => {});
  }

  async close(): Promise<void> {
    this.hasFailed = true;
    await (await this.process.catch(() => undefined))?.close();
  }

  private gathered(): Promise<unknown> {
    const ms = Math.min(this.streams * GATHER_MS_PER_STREAM, MAX_GATHER_MS);
    return ms < 1 ? nextTurn() : after(ms);
  }

  private async ask(parts: readonly Part[]): Promise<Map<Part, number[]>> {
    try {
      const answers = await (await this.process).ask(blockOf(parts), neverAborted);
      return new Map(parts.map((part, at) => [part, (answers[at] ?? []).map((thousandths) => thousandths / 1000)]));
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

function blockOf(parts: readonly Part[]): Uint8Array {
  const block = Buffer.alloc(parts.reduce((bytes, { windows }) => bytes + HEAD_BYTES + windows.byteLength, 0));
  let at = 0;
  for (const { stream, windows } of parts) {
    block.writeUInt32LE(stream, at);
    block.writeUInt32LE(windows.byteLength / WINDOW_BYTES, at + 4);
    block.set(windows, at + HEAD_BYTES);
    at += HEAD_BYTES + windows.byteLength;
  }
  return block;
}
