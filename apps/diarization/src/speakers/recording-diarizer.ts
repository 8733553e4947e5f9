import { Inject, Injectable } from '@nestjs/common';
import { boundsWarnings, type AudioPiece, type DiarizationResult, type SpeakerDiarizer } from '@parlance/engines';
import type { Clock, Logger } from '@parlance/platform';
import { CLOCK, LOGGER, MEDIA_STORE } from '@parlance/runtime';
import type { JobRun } from '@parlance/stage';
import { giveBack, readObject, type MediaStore } from '@parlance/storage';
import { parseChunkPlan, type PlannedChunk } from '@parlance/transcript';
import { SPEAKER_DIARIZER } from './speaker-diarizer.provider.js';
import { SpeakerMetrics } from './speaker-metrics.js';
import type { SpeakerResult } from './speaker-record.js';
import { SpeakerResults } from './speaker-results.js';

/** A recording that the stage works on. */
export interface Recording {
  planKey: string;
  /** Hash of the source, in hexadecimal. */
  sha256: string;
  /** Seconds. */
  duration: number;
  minSpeakers?: number | undefined;
  maxSpeakers?: number | undefined;
}

/** Gives a recording to the engine and stores who speaks when. */
@Injectable()
export class RecordingDiarizer {
  constructor(
    @Inject(SPEAKER_DIARIZER) private readonly diarizer: SpeakerDiarizer,
    @Inject(MEDIA_STORE) private readonly media: MediaStore,
    @Inject(SpeakerResults) private readonly results: SpeakerResults,
    @Inject(SpeakerMetrics) private readonly metrics: SpeakerMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async diarize(run: JobRun & Recording, signal: AbortSignal): Promise<SpeakerResult> {
    const { sha256, duration, planKey, minSpeakers, maxSpeakers } = run;
    const { name: engine } = this.diarizer.info;
    const began = this.clock.now().getTime();
    const bounds = { ...(minSpeakers !== undefined && { minSpeakers }), ...(maxSpeakers !== undefined && { maxSpeakers }) };
    const { turns, speakerCount, warnings = [] }: DiarizationResult = await this.diarizer.diarize({ audio: recordingAudio(this.media, planKey), ...bounds, signal });
    signal.throwIfAborted();
    const turnsKey = await this.results.put(run, turns);
    const seconds = (this.clock.now().getTime() - began) / 1000;
    this.metrics.diarized(engine, seconds, duration);
    const fields = { job_id: run.jobId, account_id: run.accountId, run: run.run };
    this.log.info({ ...fields, engine, speakers: speakerCount, turns: turns.length, processingSeconds: seconds, audioSeconds: duration }, 'recording diarized');
    const allWarnings = [...warnings, ...boundsWarnings(speakerCount, { minSpeakers, maxSpeakers })];
    return { sha256, turnsKey, speakerCount, turnCount: turns.length, engine, warnings: allWarnings };
  }
}

/** Yields the chunks of a recording that have speech, as ingest cut them. Each chunk is read only when it is requested. */
async function* recordingAudio(media: MediaStore, planKey: string): AsyncGenerator<AudioPiece> {
  const { chunks } = parseChunkPlan(new TextDecoder().decode(await readObject(media, planKey)));
  for (const chunk of chunks) if (chunk.speech.length > 0) yield pieceOf(media, chunk);
}

const pieceOf = (media: MediaStore, { start, speech, audioKey }: PlannedChunk): AudioPiece => ({ start, speech, pcm: bytesOf(media, audioKey) });

async function* bytesOf(media: MediaStore, key: string): AsyncGenerator<Uint8Array> {
  for await (const bytes of await media.get(key)) {
    yield bytes;
    giveBack(bytes);
  }
}
