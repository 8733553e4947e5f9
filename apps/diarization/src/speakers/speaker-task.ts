import { boundsWarnings, type DiarizationResult, type SpeakerDiarizer } from '@parlance/engines';
import { inSpan, isFinalFailure, type Clock, type Logger } from '@parlance/platform';
import type { JobErasures, RunningTasks } from '@parlance/runtime';
import type { MediaStore } from '@parlance/storage';
import type { JobLedger, JobRun } from '../jobs/job-ledger.js';
import type { Recording, SpeakerResult } from '../jobs/job-record.js';
import { recordingAudio } from './recording-audio.js';
import type { SpeakerMetrics } from './speaker-metrics.js';
import type { SpeakerResults } from './speaker-results.js';
import { diarizationFailure, RECORDING_UNKNOWN } from './stage-failure.js';

export interface SpeakerTaskParts {
  ledger: JobLedger;
  running: RunningTasks;
  erasures: JobErasures;
  results: SpeakerResults;
  diarizer: SpeakerDiarizer;
  media: MediaStore;
  metrics: SpeakerMetrics;
  clock: Clock;
  log: Logger;
  timeoutMs: number;
}

/** The diarization stage of one run of a job: who speaks is found out once for a recording, and told to every run that asks. */
export class SpeakerTask {
  constructor(private readonly parts: SpeakerTaskParts) {}

  /** @throws AppError where another try may go better. */
  async run(job: JobRun, signal: AbortSignal, attempt: number): Promise<void> {
    try {
      await this.parts.running.run(job.jobId, signal, (stop) => this.tellApart(job, stop));
      await this.removeIfErased(job);
    } catch (error) {
      // The process stops; the bus delivers the event again.
      if (signal.aborted) throw error;
      this.parts.log.warn({ ...logFields(job), attempt, err: error }, 'diarization failed');
      if (!isFinalFailure(error)) throw error;
      await this.giveUp(job, error);
    }
  }

  /** After the last failed try: the transcript goes on without speakers, and the stage may be asked for again. @returns whether that is known */
  async giveUp(job: JobRun, error: unknown): Promise<boolean> {
    const failure = diarizationFailure(error);
    this.parts.metrics.failed(failure.code);
    return this.parts.ledger.fail(job, failure);
  }

  private async tellApart(job: JobRun, signal: AbortSignal): Promise<void> {
    const { ledger, erasures } = this.parts;
    if (await erasures.has(job.jobId)) return;
    const record = await ledger.begin(job);
    if (!record) return;
    const { recording, result } = record;
    if (!recording) return void (await ledger.fail(job, RECORDING_UNKNOWN));
    const isKnown = result !== undefined && result.sha256 === recording.sha256;
    await ledger.complete(job, isKnown ? result : await this.resultOf(job, recording, signal));
  }

  /** The erasure writes its tombstone, then removes; this wrote, then looks: one of the two sees the other. */
  private async removeIfErased(job: JobRun): Promise<void> {
    const { ledger, erasures, results } = this.parts;
    if (!(await erasures.has(job.jobId))) return;
    await results.remove(job);
    await ledger.remove(job.jobId);
  }

  private async resultOf(job: JobRun, recording: Recording, signal: AbortSignal): Promise<SpeakerResult> {
    const { diarizer, results, metrics, clock, log } = this.parts;
    const { sha256, duration, minSpeakers, maxSpeakers } = recording;
    const { name: engine } = diarizer.info;
    const began = clock.now().getTime();
    const attributes = { 'parlance.job_id': job.jobId, 'parlance.engine': engine, 'parlance.audio_seconds': duration };
    const { turns, speakerCount, warnings = [] } = await inSpan('tell speakers apart', { attributes }, () => this.diarize(recording, signal));
    signal.throwIfAborted();
    const turnsKey = await results.put(job, turns);
    const seconds = (clock.now().getTime() - began) / 1000;
    metrics.diarized(engine, seconds, duration);
    log.info({ ...logFields(job), engine, speakers: speakerCount, turns: turns.length, processingSeconds: seconds, audioSeconds: duration }, 'speakers told apart');
    const allWarnings = [...warnings, ...boundsWarnings(speakerCount, { minSpeakers, maxSpeakers })];
    return { sha256, turnsKey, speakerCount, turnCount: turns.length, engine, warnings: allWarnings };
  }

  private diarize({ planKey, minSpeakers, maxSpeakers }: Recording, signal: AbortSignal): Promise<DiarizationResult> {
    const { diarizer, media, timeoutMs } = this.parts;
    return diarizer.diarize({
      audio: recordingAudio(media, planKey),
      ...(minSpeakers !== undefined && { minSpeakers }),
      ...(maxSpeakers !== undefined && { maxSpeakers }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
  }
}

const logFields = ({ jobId, accountId, run }: JobRun) => ({ job_id: jobId, account_id: accountId, run });
