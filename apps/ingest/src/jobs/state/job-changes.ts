import { isDeepStrictEqual } from 'node:util';
import { AppError } from '@parlance/platform';
import { expire } from './job-expiry.js';
import type { JobChanges } from './job-input.js';
import type { Job } from './job.js';
import { nameWords } from './name-words.js';

/** Changes what its owner may say of a job at any time. @returns whether anything is different now. @throws AppError invalid for contents without a callback_url */
export function changeJob(job: Job, changes: JobChanges): boolean {
  const before = structuredClone(job);
  for (const field of ['title', 'recordedAt', 'callbackUrl', 'sealedCallbackHeaders'] as const) setOrRemove(job, field, changes[field]);
  // The headers were given for another receiver.
  if (!changes.sealedCallbackHeaders && originOf(job.callbackUrl) !== originOf(before.callbackUrl)) delete job.sealedCallbackHeaders;
  changeContents(job, changes.callbackInclude);
  if (job.title !== before.title) job.nameWords = nameWords(job);
  for (const field of ['retentionHours', 'mediaRetentionHours'] as const) setOrRemove(job.options, field, changes[field]);
  if (changes.metadata && !isDeepStrictEqual(changes.metadata, job.metadata)) changeMetadata(job, changes.metadata);
  expire(job);
  return !isDeepStrictEqual(before, job);
}

function changeContents(job: Job, include: string[] = job.callbackUrl === undefined ? [] : (job.callbackInclude ?? [])): void {
  if (include.length === 0) delete job.callbackInclude;
  else if (job.callbackUrl !== undefined) job.callbackInclude = include;
  else throw withoutReceiver();
}

const withoutReceiver = (): AppError =>
  new AppError({
    kind: 'invalid',
    code: 'invalid_request',
    message: 'The job has no callback_url.',
    fields: [{ pointer: '/callback_include', code: 'invalid_value', detail: 'Contents belong to a callback_url.' }],
  });

function changeMetadata(job: Job, metadata: Record<string, string>): void {
  job.metadata = metadata;
  job.options = { ...job.options, metadata };
  // Before that, the search stage has not read the job.
  if (!job.isSealed && job.stages.transcription.status === 'completed') job.mustReindex = true;
}

const originOf = (url: string | undefined): string | undefined => (url === undefined ? undefined : URL.parse(url)?.origin);

function setOrRemove<Field extends string, Value>(target: { [F in Field]?: Value | undefined }, field: Field, value: Value | null | undefined): void {
  if (value === null) delete target[field];
  else if (value !== undefined) target[field] = value;
}
