import { Inject, Injectable } from '@nestjs/common';
import { common, type events } from '@parlance/contracts';
import { runOf, type JobRun } from '@parlance/stage';
import { awaitsSpeakers, isOpen } from '../transcripts/job-state.js';
import { TranscriptSource } from '../transcripts/transcript-source.js';
import { SummaryLedger } from './summary-ledger.js';
import type { TranscriptInputs } from './summary-record.js';

/**
 * Decides when the stages of this service start: once the transcript is completed and diarization, if it was requested, has ended.
 * Each of the two events is stored before the other one is looked for, so that the later one starts the work.
 */
@Injectable()
export class StageStarts {
  constructor(
    @Inject(SummaryLedger) private readonly ledger: SummaryLedger,
    @Inject(TranscriptSource) private readonly source: TranscriptSource,
  ) {}

  async onTranscript(event: events.TranscriptCompleted, isWanted: boolean): Promise<JobRun | undefined> {
    const { speakersRun } = await this.learn(event, { transcriptRun: event.run });
    if (!isWanted) return undefined;
    const mustWait = (event.options?.diarization?.enabled ?? false) && speakersRun < event.run && (await this.awaitsSpeakers(event));
    return mustWait ? undefined : runOf(event);
  }

  /** Handles the end of diarization alone: from then on the speakers are in the transcript, or will never be. */
  async onStageFinished(event: events.StageEvent, own: common.Stage): Promise<JobRun | undefined> {
    if (event.stage !== common.Stage.STAGE_DIARIZATION) return undefined;
    const { transcriptRun } = await this.learn(event, { speakersRun: event.run });
    if (transcriptRun === 0) return undefined;
    const job = await this.source.job(event);
    // The present run of the job waits, even when diarization reports an earlier run.
    return job && isOpen(job, own) ? { ...runOf(event), run: job.run } : undefined;
  }

  /** A retry asks for one stage, whatever the job's options were; diarization may be retried with it. */
  async onRequest(event: events.StageRequested): Promise<JobRun | undefined> {
    const { speakersRun } = await this.learn(event, { transcriptRun: event.run });
    return speakersRun < event.run && (await this.awaitsSpeakers(event)) ? undefined : runOf(event);
  }

  private async learn(job: JobRun, inputs: Partial<TranscriptInputs>): Promise<TranscriptInputs> {
    const { transcriptRun = 0, speakersRun = 0 } = await this.ledger.learn(job, (known) => {
      const newest = {
        transcriptRun: Math.max(known.transcriptRun ?? 0, inputs.transcriptRun ?? 0),
        speakersRun: Math.max(known.speakersRun ?? 0, inputs.speakersRun ?? 0),
      };
      return newest.transcriptRun === known.transcriptRun && newest.speakersRun === known.speakersRun ? undefined : newest;
    });
    return { transcriptRun, speakersRun };
  }

  private async awaitsSpeakers(job: JobRun): Promise<boolean> {
    const found = await this.source.job(job);
    return found !== undefined && awaitsSpeakers(found);
  }
}
