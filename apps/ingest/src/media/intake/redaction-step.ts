import { Inject, Injectable } from '@nestjs/common';
import type { TranscriptService, transcripts } from '@parlance/contracts';
import type { Clock } from '@parlance/platform';
import { CLOCK, CONFIG, TRANSCRIPT_SERVICE } from '@parlance/runtime';
import { withinDeadline } from '@parlance/stage';
import type { IngestConfig } from '../../ingest.config.js';
import { JobStore } from '../../jobs/state/job-store.js';
import type { Job } from '../../jobs/state/job.js';
import { AudioRedactor } from '../redaction/audio-redactor.js';
import { redactedStretches } from '../redaction/redacted-stretches.js';

/** The warning of an engine that gives no times of words. */
const ESTIMATED = 'word_times_estimated';
const MINUTE_MS = 60_000;

/** The stage that takes redacted words out of the recording. Its media is removed once the job has the redacted one. */
@Injectable()
export class RedactionStep {
  private readonly deadlineMs: number;

  constructor(
    @Inject(JobStore) private readonly jobs: JobStore,
    @Inject(TRANSCRIPT_SERVICE) private readonly transcripts: Pick<TranscriptService, 'getTranscript'>,
    @Inject(AudioRedactor) private readonly redactor: Pick<AudioRedactor, 'redact'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Pick<IngestConfig, 'DECODE_TIMEOUT_MINUTES'>,
  ) {
    this.deadlineMs = config.DECODE_TIMEOUT_MINUTES * MINUTE_MS;
  }

  async perform(job: Job, signal: AbortSignal): Promise<void> {
    const { id: jobId, run } = job;
    await this.jobs.apply(jobId, { type: 'stage_started', run, stage: 'audio_redaction', at: this.clock.now().toISOString() });
    const media = await withinDeadline((inTime) => this.redact(job, inTime), { signal, deadlineMs: this.deadlineMs, what: 'Redacting the recording', code: 'media_timeout' });
    signal.throwIfAborted();
    await this.jobs.apply(jobId, { type: 'audio_redacted', run, media });
  }

  private async redact({ id: jobId, accountId, source, options, warnings, media }: Job, signal: AbortSignal) {
    const stretches = await redactedStretches(this.recognized(accountId, jobId, signal), { areTimesEstimated: warnings.some(({ code }) => code === ESTIMATED) });
    const tracks = source.kind === 'upload' ? (source.tracks ?? 1) : 1;
    const style = options.redaction?.audio === 'beep' ? 'beep' : 'silence';
    return this.redactor.redact({ accountId, jobId, tracks, duration: media?.duration ?? 0, stretches, style, signal });
  }

  /** The recognised text: an edit may have taken redacted words out of the newest one. */
  private async *recognized(accountId: string, jobId: string, signal: AbortSignal): AsyncGenerator<transcripts.Segment> {
    for await (const { segments } of this.transcripts.getTranscript({ accountId, jobId, includeWords: true, revision: 0 }, { signal })) yield* segments;
  }
}
