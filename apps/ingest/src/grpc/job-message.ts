import type { ingest } from '@parlance/contracts';
import { redactUrl } from '@parlance/platform';
import type { Erasure } from '../jobs/erasure/erasure.js';
import { progressMessage, stageMessage, stageStatusMessage, statusMessage } from '../jobs/state/job-events.js';
import { isLiveOpen, STAGES, type Job } from '../jobs/state/job.js';

/** The job as the other services see it. */
export function jobMessage(job: Job): ingest.Job {
  const { media, language, source } = job;
  return {
    jobId: job.id,
    accountId: job.accountId,
    status: statusMessage(job.status),
    createdAt: date(job.createdAt),
    startedAt: date(job.startedAt),
    completedAt: date(job.completedAt),
    expiresAt: date(job.expiresAt),
    audioUrl: source.kind === 'url' ? redactUrl(source.url) : undefined,
    fileName: source.kind === 'upload' ? source.fileName : undefined,
    uploadIds: source.kind === 'upload' ? (source.uploadIds ?? []) : [],
    callbackInclude: job.callbackInclude ?? [],
    callbackUrl: job.callbackUrl === undefined ? undefined : redactUrl(job.callbackUrl),
    title: job.title,
    recordedAt: date(job.recordedAt),
    mediaExpiresAt: date(job.mediaExpiresAt),
    mediaRemoved: job.mediaRemovedAt !== undefined,
    options: job.options,
    detectedLanguage: language?.detected,
    languageConfidence: language?.confidence,
    transcriptLanguage: language?.transcript,
    media,
    progress: progressMessage(job),
    stages: STAGES.map((name) => {
      const { status, startedAt, completedAt, attempts, error, engine } = job.stages[name];
      const times = { startedAt: date(startedAt), completedAt: date(completedAt) };
      return { stage: stageMessage(name), status: stageStatusMessage(status), ...times, attempts, error, engine };
    }),
    error: job.error,
    warnings: job.warnings,
    version: job.revision,
    chunksTotal: job.chunks.total,
    chunksDone: job.chunks.count,
    billedSeconds: job.billedSeconds,
    run: job.run,
    endedSummaries: (job.endedSummaries ?? []).map(({ summaryId, error, revision: version }) => ({ summaryId, error, version })),
    batchId: job.batchId,
    projectId: job.projectId,
    live: source.kind === 'live' ? { open: isLiveOpen(job), audio: source.audio, finalPass: source.finalPass, storeAudio: source.storeAudio } : undefined,
    legalHold: job.hold && { reason: job.holdReason ?? '', until: date(job.hold.until), byOperator: job.hold.byOperator ?? false, since: date(job.hold.since) },
  };
}

export const erasureMessage = (erasure: Erasure, jws: string | undefined): ingest.Erasure => ({
  erasureId: erasure.id,
  jobId: erasure.jobId,
  projectId: erasure.projectId,
  status: erasure.completedAt === undefined ? 'pending' : 'completed',
  requestedAt: date(erasure.createdAt),
  completedAt: date(erasure.completedAt),
  items: erasure.items.map(({ what, where, when, count }) => ({ what, where, when: date(when), count })),
  jws,
});

const date = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));
