import { z } from 'zod';
import { AnsweringProcess, type AnsweringProcessOptions } from './answering-process.js';
import type { SharedSamples } from './whole-samples.js';

const PROGRAM = new URL('./silero-worker.mjs', import.meta.url);

/** From the first sample to the one after the last. */
export type SampleRange = [from: number, to: number];

const answerSchema = z.array(z.tuple([z.int().nonnegative(), z.int().nonnegative()]));

/** Durations in samples. */
export interface SileroSettings {
  /** Path of the model. */
  model: string;
  threshold: number;
  minSilence: number;
  minSpeech: number;
  maxSpeech: number;
}

export interface SileroProcessOptions extends AnsweringProcessOptions {
  program?: URL;
}

/** Finds the regions of speech of one recording at a time. */
export class SileroProcess extends AnsweringProcess<SampleRange[]> {
  /** @param settings `SileroSettings`, or what another program takes. */
  constructor(settings: object, { program = PROGRAM, ...options }: SileroProcessOptions = {}) {
    super(program, settings, answerSchema, { hasLowPriority: true, ...options });
  }

  /**
   * The regions that have ended with these samples. The samples are read until it settles, and not afterwards. An abort kills the process.
   * @throws AppError engine_failed, what the abort means
   */
  hearSamples(samples: SharedSamples, signal: AbortSignal): Promise<SampleRange[]> {
    return this.ask([new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)], signal);
  }

  /** The regions that end with the recording. The next samples are the first ones of another. @throws AppError as `hearSamples` does */
  hearEnd(signal: AbortSignal): Promise<SampleRange[]> {
    return this.ask([], signal);
  }
}
