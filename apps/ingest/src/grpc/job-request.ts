import { common, ingest, mediaKeys } from '@parlance/contracts';
import { AppError } from '@parlance/platform';
import { statusMessage } from '../jobs/state/job-events.js';
import { CLIP_FORMATS, type ClipFormat } from '../media/media-decoder.js';
import type { JobFilter, JobKind } from '../jobs/job-list.js';
import type { JobChanges } from '../jobs/state/job-input.js';
import type { JobSource } from '../jobs/state/job-source.js';
import type { Job } from '../jobs/state/job.js';
import type { JobLimits, NewJob } from '../jobs/state/new-job.js';
import { liveSource } from './live-request.js';

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 20;

/** The request as the gateway sends it; what it refuses is a defect of the caller. @throws AppError invalid_request */
export function newJob(request: ingest.CreateJobRequest): NewJob {
  const { jobId, accountId, callbackUrl, sealedCallbackHeaders, callbackInclude, keyId, batchId, projectId, title, recordedAt } = request;
  if (!ID.test(jobId) || !ID.test(accountId)) throw invalid('The ids of job and account are required.');
  return { jobId, accountId, source: sourceOf(request), callbackUrl, sealedCallbackHeaders, callbackInclude: callbackInclude?.names, keyId, batchId, projectId, title, recordedAt: recordedAt?.toISOString(), options: optionsOf(request.options), limits: jobLimits(request.limits) };
}

function sourceOf({ source, jobId, accountId, sealedAudioHeaders: sealedHeaders }: ingest.CreateJobRequest): JobSource {
  if (source?.$case === 'audioUrl' && /^https?:/i.test(source.value) && URL.canParse(source.value)) return { kind: 'url', url: source.value, fetched: false, ...(sealedHeaders !== undefined && { sealedHeaders }) };
  if (source?.$case === 'live') return liveSource(source.value);
  if (source?.$case !== 'upload') throw invalid('The job needs an http(s) audio_url, an upload or a live session.');
  const { mediaKey, sizeBytes, sha256, fileName, tracks, uploadIds } = source.value;
  if (mediaKey !== mediaKeys(accountId, jobId).source) throw invalid('The upload is not stored where the uploads of this job must be.');
  return { kind: 'upload', mediaKey, sizeBytes, sha256, ...(fileName !== undefined && { fileName }), ...(tracks !== undefined && tracks > 1 && { tracks }), ...(uploadIds.length > 0 && { uploadIds }) };
}

/** @throws AppError invalid_request */
export function clipFormat(format: ingest.ClipFormat): ClipFormat {
  const found = CLIP_FORMATS.find((name) => ingest.ClipFormat[`CLIP_FORMAT_${name.toUpperCase() as Uppercase<ClipFormat>}`] === format);
  if (!found) throw invalid('The clip needs a format.');
  return found;
}

export function jobLimits(limits: ingest.JobLimits | undefined): JobLimits | undefined {
  if (!limits) return undefined;
  const { jobsInFlight, mediaBytes: bytes, mediaSeconds: seconds } = limits;
  return { jobsInFlight, media: { ...(bytes !== undefined && { bytes }), ...(seconds !== undefined && { seconds }) } };
}

/** Options not stated are those of the public API: everything on. */
const optionsOf = (options: common.JobOptions | undefined): common.JobOptions =>
  common.JobOptions.fromPartial({
    ...(options ?? { highlights: true }),
    diarization: options?.diarization ?? { enabled: true },
    summary: options?.summary ?? { enabled: true },
  });

/** A message without a value removes the field. */
export function jobChanges({ title, recordedAt, metadata, retentionHours, mediaRetentionHours, callbackUrl, sealedCallbackHeaders, callbackInclude }: ingest.UpdateJobRequest): JobChanges {
  return {
    ...(title && { title: title.value ?? null }),
    ...(recordedAt && { recordedAt: recordedAt.value?.toISOString() ?? null }),
    ...(metadata && { metadata: metadata.pairs }),
    ...(retentionHours && { retentionHours: retentionHours.value ?? null }),
    ...(mediaRetentionHours && { mediaRetentionHours: mediaRetentionHours.value ?? null }),
    ...(callbackUrl && { callbackUrl: callbackUrl.value ?? null }),
    ...(callbackInclude && { callbackInclude: callbackInclude.names }),
    ...(sealedCallbackHeaders && { sealedCallbackHeaders: sealedCallbackHeaders.value ?? null }),
  };
}

const STATUSES: readonly Job['status'][] = ['queued', 'processing', 'completed', 'failed', 'canceled'];

/** @throws AppError invalid_request */
function jobKind(kind: string | undefined): JobKind | undefined {
  if (kind === undefined || kind === 'live' || kind === 'file') return kind;
  throw invalid('The kind of a job is live or file.');
}

/** Items of a page; less than 1 asks for the default. */
export const pageLimit = (limit: number): number => (limit < 1 ? DEFAULT_LIMIT : Math.min(limit, MAX_LIMIT));

export function jobFilter({ status, statuses, ascending, createdAfter, createdBefore, metadata, batchId, projectId, kind, text, limit, cursor }: ingest.ListJobsRequest): JobFilter {
  return {
    statuses: STATUSES.filter((known) => [status, ...statuses].includes(statusMessage(known))),
    ascending,
    createdAfter: createdAfter?.toISOString(),
    createdBefore: createdBefore?.toISOString(),
    metadata,
    text,
    batchId,
    projectId,
    kind: jobKind(kind),
    limit: pageLimit(limit),
    cursor,
  };
}

const invalid = (message: string): AppError => new AppError({ kind: 'invalid', code: 'invalid_request', message });
