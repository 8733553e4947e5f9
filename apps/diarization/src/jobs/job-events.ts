import { common, type events } from '@parlance/contracts';
import type { Delivery, EventEnvelope } from '@parlance/event-bus';
import type { JobErasures, RunningTasks } from '@parlance/runtime';
import type { SpeakerTask } from '../speakers/speaker-task.js';
import type { JobLedger } from './job-ledger.js';
import type { Recording } from './job-record.js';

export interface JobEventsParts {
  ledger: JobLedger;
  running: RunningTasks;
  erasures: JobErasures;
  task: SpeakerTask;
}

/** What other services' events mean for the speakers of a job. */
export class JobEvents {
  constructor(private readonly parts: JobEventsParts) {}

  async mediaReady({ event: { data }, signal, attempt }: Delivery<'media.ready'>): Promise<void> {
    if (!data.options?.diarization?.enabled || (await this.parts.erasures.has(data.jobId))) return;
    await this.parts.ledger.learn(data, recordingOf(data));
    await this.parts.task.run(keyOf(data), signal, attempt);
  }

  /** A retry of the stage alone. */
  async stageRequested({ event: { data }, signal, attempt }: Delivery<'stage.requested'>): Promise<void> {
    if (data.stage === common.Stage.STAGE_DIARIZATION) await this.parts.task.run(keyOf(data), signal, attempt);
  }

  /** In every process, at once: whatever runs for the job stops. */
  stop({ data }: EventEnvelope<'job.canceled' | 'job.failed' | 'job.deleted'>): void {
    this.parts.running.stop(data.jobId);
  }

  async canceled({ event: { data } }: Delivery<'job.canceled'>): Promise<void> {
    await this.parts.ledger.cancel(data);
    this.parts.running.stop(data.jobId);
  }

  async deleted({ event: { data } }: Delivery<'job.deleted'>): Promise<void> {
    this.parts.running.stop(data.jobId);
    await this.parts.erasures.erase(data);
  }
}

const keyOf = ({ jobId, accountId, run }: { jobId: string; accountId: string; run: number }) => ({ jobId, accountId, run });

const recordingOf = ({ run, planKey, media, options }: events.MediaReady): Recording => ({
  run,
  planKey,
  sha256: media?.sha256 ?? '',
  duration: media?.duration ?? 0,
  minSpeakers: options?.diarization?.minSpeakers,
  maxSpeakers: options?.diarization?.maxSpeakers,
});
