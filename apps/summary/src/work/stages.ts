import { common, type events } from '@parlance/contracts';
import type { GivenUp, OutboxEvent } from '@parlance/event-bus';
import { awaitsSpeakers } from '../transcripts/job-state.js';
import type { TranscriptSource } from '../transcripts/transcript-source.js';
import type { JobInputs, JobRun } from './job-inputs.js';
import { defaultSummaryId } from './work-document.js';
import type { WorkKey } from './transcript-work.js';

/** What a stage's work has in common, whatever it makes. */
export interface StageWork {
  perform(key: WorkKey, signal: AbortSignal): Promise<void>;
  giveUp(key: WorkKey, thrown: unknown): Promise<void>;
}

export interface StagesParts {
  summaries: StageWork;
  highlights: StageWork;
  inputs: JobInputs;
  source: TranscriptSource;
}

const { STAGE_DIARIZATION, STAGE_HIGHLIGHTS, STAGE_SUMMARY } = common.Stage;
type OwnStage = typeof STAGE_SUMMARY | typeof STAGE_HIGHLIGHTS;
const OWN: readonly OwnStage[] = [STAGE_SUMMARY, STAGE_HIGHLIGHTS];

/** The stages of this service: each once the transcript is there and it is known who speaks, or that nobody will find out. */
export class Stages {
  constructor(private readonly parts: StagesParts) {}

  async transcriptCompleted(event: events.TranscriptCompleted, signal: AbortSignal): Promise<void> {
    const { speakersRun } = await this.parts.inputs.note(event.jobId, { transcriptRun: event.run });
    const wanted = wantedStages(event.options);
    if (wanted.length === 0) return;
    if ((event.options?.diarization?.enabled ?? false) && speakersRun < event.run && (await this.mustWait(event, signal))) return;
    await this.performAll(event, wanted, signal);
  }

  /** Of any service's stages; of diarization it means that the speakers are in the transcript, if they ever will be. */
  async stageFinished(event: events.StageEvent, signal: AbortSignal): Promise<void> {
    if (event.stage !== STAGE_DIARIZATION) return;
    const { transcriptRun } = await this.parts.inputs.note(event.jobId, { speakersRun: event.run });
    if (transcriptRun === 0) return;
    const job = await this.parts.source.job(event, signal);
    // The run that the job is in now is the one that waits, whichever diarization speaks of.
    if (job) await this.performAll({ ...event, run: job.run }, openStages(job.stages), signal);
  }

  /** A retry asks for one stage, whatever the job's options were; diarization may be retried with it. */
  async requested(event: events.StageRequested, signal: AbortSignal): Promise<void> {
    const stage = OWN.find((own) => own === event.stage);
    if (stage === undefined) return;
    const { speakersRun } = await this.parts.inputs.note(event.jobId, { transcriptRun: event.run });
    if (speakersRun < event.run && (await this.mustWait(event, signal))) return;
    await this.performAll(event, [stage], signal);
  }

  /** After the last try of an event: what it began has failed. What ended before stays as it is. One that began nothing is not settled. */
  async giveUp(event: OutboxEvent, thrown: unknown): Promise<GivenUp> {
    const begun = await this.begunBy(event);
    for (const [stage, job] of begun) await this.workOf(stage).giveUp(keyOf(stage, job), thrown);
    if (begun.length > 0) return 'settled';
  }

  private async begunBy({ type, data }: OutboxEvent): Promise<[OwnStage, JobRun][]> {
    if (type === 'transcript.completed') return wantedStages(data.options).map((stage) => [stage, data]);
    if (type === 'stage.requested') return OWN.filter((stage) => stage === data.stage).map((stage) => [stage, data]);
    if (type !== 'stage.finished' || data.stage !== STAGE_DIARIZATION) return [];
    const job = await this.parts.source.job(data);
    return job ? openStages(job.stages).map((stage) => [stage, { ...data, run: job.run }]) : [];
  }

  private async mustWait(job: JobRun, signal: AbortSignal): Promise<boolean> {
    const found = await this.parts.source.job(job, signal);
    return found !== undefined && awaitsSpeakers(found);
  }

  /** At the same time; when one is to be tried again, the other has ended and stays so. */
  private async performAll(job: JobRun, stages: readonly OwnStage[], signal: AbortSignal): Promise<void> {
    const outcomes = await Promise.allSettled(stages.map((stage) => this.workOf(stage).perform(keyOf(stage, job), signal)));
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }

  private workOf(stage: OwnStage): StageWork {
    return stage === STAGE_SUMMARY ? this.parts.summaries : this.parts.highlights;
  }
}

function keyOf(stage: OwnStage, { jobId, accountId, run }: JobRun): WorkKey {
  return { id: stage === STAGE_SUMMARY ? defaultSummaryId(jobId) : jobId, jobId, accountId, run };
}

const wantedStages = (options: common.JobOptions | undefined): OwnStage[] =>
  OWN.filter((stage) => (stage === STAGE_SUMMARY ? (options?.summary?.enabled ?? false) : (options?.highlights ?? false)));

const { STAGE_STATUS_PENDING, STAGE_STATUS_RUNNING } = common.StageStatus;

const openStages = (stages: readonly common.StageState[]): OwnStage[] =>
  OWN.filter((own) => stages.some(({ stage, status }) => stage === own && (status === STAGE_STATUS_PENDING || status === STAGE_STATUS_RUNNING)));
