import { setImmediate } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { SpeechEngines, StreamingEngines } from '@parlance/engines';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import {
  ChannelSpeakers, mergeChannels, mergeChunks, formattingOf, roundToMs, segmentId, segmentWords, speakersOf, wordOnChannel, writeWords,
  type ChunkPlan, type ChunkWords, type MergedWord, type PlannedChunk, type Segment, type Word,
} from '@parlance/transcript';
import type { ChunkCheckpoint } from '../chunks/chunk-checkpoint.js';
import { ChunkCheckpoints, isOf } from '../chunks/chunk-checkpoints.js';
import { finalSegments } from '../chunks/live-chunk.js';
import { PlanReader } from '../chunks/plan-reader.js';
import type { JobMedia, JobTurns } from '../jobs/job-record.js';
import { ChunkSummary } from './chunk-summary.js';
import { Redactions } from './redactions.js';
import { SpeakerAssigner } from './speaker-assigner.js';
import { isEnglish, onlyLanguage, writerOf } from './writer.js';
import type { TranscriptDocument } from './transcript-documents.js';
import { TranscriptStore } from './transcript-store.js';

/** A checkpoint is missing, or was made from an older plan. The event of that chunk starts the merge again. */
export class ChunkMissing extends Error {
  override readonly name = 'ChunkMissing';
}

/** The container's duration is used when the decoded audio is this close to it, in seconds. */
const DURATION_TOLERANCE = 1;

/** Makes one transcript from a job's checkpoints. */
@Injectable()
export class TranscriptAssembler {
  constructor(
    @Inject(PlanReader) private readonly plans: PlanReader,
    @Inject(ChunkCheckpoints) private readonly checkpoints: ChunkCheckpoints,
    @Inject(TranscriptStore) private readonly transcripts: TranscriptStore,
    @Inject(SpeakerAssigner) private readonly speakers: SpeakerAssigner,
    @Inject(SpeechEngines) private readonly engines: SpeechEngines,
    @Inject(Redactions) private readonly redactions: Redactions,
    @Inject(StreamingEngines) private readonly liveEngines: StreamingEngines,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Writes the pages of the transcript. @throws ChunkMissing, PagesOvertaken; AppError language_uncertain, before anything is written */
  async assemble({ jobId, accountId, run }: JobRun, media: JobMedia, turns: JobTurns | undefined): Promise<TranscriptDocument> {
    const plan = await this.plans.read(media.planKey, media.run);
    const engine = this.engines.find(plan.options.model)?.recognizer.info;
    if (plan.options.detection && plan.options.detection.fallback === undefined) await this.requireLanguage(plan);
    const duration = durationOf(media, plan);
    const summary = new ChunkSummary();
    const channelSpeakers = new ChannelSpeakers(plan.channelNames);
    const segments = this.segments(plan, summary, duration, channelSpeakers);
    const spoken = turns && (await this.speakers.readIfPossible(turns, jobId));
    const writer = this.writerOf(plan);
    const isWrittenHere = plan.options.format && !writer.formatsText ? isEnglish(writer.language) : undefined;
    const written = await this.transcripts.writePages(jobId, segments, { accountId, planRun: media.run, turns: turns && spoken && { run: turns.run, spoken }, isWrittenHere });
    const requested = media.options?.language;
    const language = requested ?? summary.spokenLanguage ?? (engine && onlyLanguage(engine)) ?? 'und';
    // Checkpoints of a version before also have the language that the request named.
    const detected = requested === undefined && engine?.reportsLanguage !== false ? summary.language : undefined;
    return {
      id: jobId,
      createdAt: this.clock.now().toISOString(),
      accountId,
      run,
      planRun: media.run,
      language,
      ...(detected && { detectedLanguage: detected.tag, ...(detected.confidence !== undefined && { languageConfidence: roundToMs(detected.confidence) }) }),
      duration,
      version: 1,
      speakers: plan.channels === undefined ? speakersOf(spoken ?? []) : channelSpeakers.speakers,
      ...(plan.channels !== undefined && { channels: plan.channels }),
      ...(turns && spoken && { turns: { turnsKey: turns.turnsKey, run: turns.run } }),
      ...written,
      engine: summary.engine || (engine?.name ?? ''),
      warnings: summary.warnings,
      formatting: formattingOf(plan.options, { ...writer, language, isPunctuated: summary.isPunctuated }),
    };
  }

  private segments(plan: ChunkPlan, summary: ChunkSummary, duration: number, speakers: ChannelSpeakers): AsyncIterable<Segment> {
    if (plan.options.liveFinalsKey !== undefined) return this.finals(plan, summary);
    const redact = this.redactions.ofTranscript({ ...plan.options, language: writerOf(this.engines, plan.options).language, onWarning: (warning) => summary.warn(warning) });
    const words = (chunks: readonly PlannedChunk[]) => redact(this.mergedWords(plan, chunks, summary, duration));
    if (plan.channels === undefined) return segmentWords(words(plan.chunks));
    return speakers.watch(channelSegments(plan, words));
  }

  /** Each final of a live session is a segment, as it was sent. */
  private async *finals(plan: ChunkPlan, summary: ChunkSummary): AsyncGenerator<Segment> {
    let before = 0;
    for await (const { checkpoint } of this.checkpointsOf(plan, plan.chunks, summary)) {
      yield* finalSegments(checkpoint, (number) => segmentId(before + number));
      before += checkpoint.finals?.length ?? 0;
    }
  }

  private writerOf({ options }: ChunkPlan) {
    const writer = writerOf(this.engines, options);
    const live = options.liveFinalsKey === undefined ? undefined : this.liveEngines.find(options.model);
    return live ? { ...writer, formatsText: live.formatsText } : writer;
  }

  /** The words of these chunks in order, written as the job asks. */
  private mergedWords(plan: ChunkPlan, chunks: readonly PlannedChunk[], summary: ChunkSummary, duration: number): AsyncGenerator<MergedWord> {
    return writeWords(mergeChunks(this.chunkWords(plan, chunks, summary), { duration }), plan.options, writerOf(this.engines, plan.options));
  }

  private async *chunkWords(plan: ChunkPlan, chunks: readonly PlannedChunk[], summary: ChunkSummary): AsyncGenerator<ChunkWords> {
    for await (const { chunk, checkpoint } of this.checkpointsOf(plan, chunks, summary)) {
      yield { chunk, words: checkpoint.words, language: checkpoint.language, isPunctuated: checkpoint.isPunctuated };
    }
  }

  private async *checkpointsOf(plan: ChunkPlan, chunks: readonly PlannedChunk[], summary: ChunkSummary): AsyncGenerator<{ chunk: PlannedChunk; checkpoint: ChunkCheckpoint }> {
    for (const chunk of chunks) {
      const checkpoint = await this.checkpoints.get(plan.jobId, chunk.index);
      if (!checkpoint || !isOf(chunk, checkpoint)) throw new ChunkMissing();
      summary.add(checkpoint);
      // An embedded store answers without leaving the event loop; others must have their turn.
      await setImmediate();
      yield { chunk, checkpoint };
    }
  }

  private async requireLanguage(plan: ChunkPlan): Promise<void> {
    const summary = new ChunkSummary();
    const chunks = this.chunkWords(plan, plan.chunks, summary);
    while (!(await chunks.next()).done);
    if (summary.isLanguageUncertain) throw languageUncertain(plan.options.detection?.expected ?? []);
  }
}

const languageUncertain = (expected: readonly string[]): AppError =>
  new AppError({
    kind: 'invalid',
    code: 'language_uncertain',
    message: `Most of the recording is not certainly in ${expected.length === 1 ? 'the expected language' : 'one of the expected languages'} (${expected.join(', ')}), and the job names no fallback.`,
    retryable: false,
  });

const durationOf = (media: JobMedia, plan: ChunkPlan): number =>
  roundToMs(Math.abs(media.duration - plan.duration) < DURATION_TOLERANCE ? Math.min(media.duration, plan.duration) : plan.duration);

/** The segments of channels that were transcribed apart, as one conversation. */
function channelSegments({ channels: count = 0, chunks: all }: ChunkPlan, wordsOf: (chunks: readonly PlannedChunk[]) => AsyncIterable<MergedWord>): AsyncGenerator<Segment> {
  const channels = Array.from({ length: count }, (_, channel) => segmentWords(onChannel(wordsOf(all.filter((chunk) => chunk.channel === channel)), channel)));
  return mergeChannels(channels);
}

async function* onChannel<W extends Word>(words: AsyncIterable<W>, channel: number): AsyncGenerator<W> {
  for await (const word of words) yield wordOnChannel(word, channel);
}
