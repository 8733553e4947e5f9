import { Inject, Injectable } from '@nestjs/common';
import { common, type events } from '@parlance/contracts';
import { stageFailure } from '@parlance/platform';
import { CONFIG } from '@parlance/runtime';
import { defineStage, runOf, type JobRun, type StageDefinition } from '@parlance/stage';
import type { DiarizationConfig } from '../diarization.config.js';
import { RecordingDiarizer, type Recording } from './recording-diarizer.js';
import { SpeakerMetrics } from './speaker-metrics.js';
import type { SpeakerFacts, SpeakerResult } from './speaker-record.js';

const RECORDING_UNKNOWN: common.Failure = { code: 'internal', message: 'The recording is not known.', retryable: true };

/** Finds out who speaks when, beside transcription. The stage completes with the words: transcription reports that. */
@Injectable()
export class SpeakerStage {
  readonly definition: StageDefinition<SpeakerFacts, Recording>;

  constructor(@Inject(CONFIG) config: DiarizationConfig, @Inject(RecordingDiarizer) recordings: RecordingDiarizer, @Inject(SpeakerMetrics) metrics: SpeakerMetrics) {
    this.definition = defineStage<SpeakerFacts, Recording>({
      name: 'diarization',
      stage: common.Stage.STAGE_DIARIZATION,
      startsOn: {
        // Channels that are transcribed apart are the speakers.
        'media.ready': (data) => (data.options?.diarization?.enabled && data.media?.splitChannels === undefined ? recordedRun(data) : undefined),
        'stage.requested': recordedRun,
      },
      async perform(run, { record, signal }) {
        if (run.planKey === '') return { status: 'failed', error: RECORDING_UNKNOWN };
        const { result: known } = record;
        return { facts: { result: known?.sha256 === run.sha256 ? known : await recordings.diarize(run, signal) } };
      },
      completes: (run, { result }) => (result ? [completed(run, result)] : []),
      failure: diarizationFailure,
      failed: async (_run, { code }) => metrics.failed(code),
      audioSeconds: ({ duration }) => duration,
      deadlineMs: config.DIARIZATION_TIMEOUT_MINUTES * 60_000,
      retry: { maxAttempts: config.DIARIZATION_MAX_ATTEMPTS, initialDelayMs: 500, maxDelayMs: 15_000 },
      capacity: config.DIARIZATION_CONCURRENCY,
    });
  }
}

const recordedRun = (data: Pick<events.MediaReady, 'jobId' | 'accountId' | 'run' | 'planKey' | 'media' | 'options'>): JobRun & Recording => ({
  ...runOf(data),
  planKey: data.planKey,
  sha256: data.media?.sha256 ?? '',
  duration: data.media?.duration ?? 0,
  minSpeakers: data.options?.diarization?.minSpeakers,
  maxSpeakers: data.options?.diarization?.maxSpeakers,
});

const completed = (run: JobRun, { turnsKey, speakerCount, turnCount, engine, warnings }: SpeakerResult) => ({
  type: 'diarization.completed' as const,
  data: { ...run, turnsKey, speakerCount, turnCount, engine, warnings },
});

/** Why the stage failed, for the job's owner. */
function diarizationFailure(thrown: unknown): common.Failure {
  const failure = stageFailure(thrown);
  if (failure.code === 'engine_timeout') return { ...failure, message: 'The speaker diarizer took too long.' };
  if (failure.code === 'internal') return { ...failure, message: 'Diarization failed: an internal error occurred.' };
  return failure;
}
