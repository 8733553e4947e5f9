import type { ingest } from '@parlance/contracts';
import { hasTranscript, isOver } from './job-json.js';

/** @param first the job as it was at the call */
export type IsAwaited = (job: ingest.Job, first: ingest.Job) => boolean;

/**
 * The condition that a long poll waits for.
 * @param known the version that the caller has, when it said so: a newer one is news
 */
export function awaited(waitFor: 'transcript' | 'terminal' | 'change' | undefined, known: number | undefined): IsAwaited {
  if (waitFor === 'transcript') return hasTranscript;
  if (waitFor === 'terminal') return isOver;
  if (known !== undefined) return ({ version }) => version !== known;
  return waitFor === 'change' ? ({ version }, first) => version !== first.version : ({ status }, first) => status !== first.status;
}

/** The version of the job in an ETag of ours; undefined when there is none, or several. */
export function versionIn(ifNoneMatch: string | undefined): number | undefined {
  const [, version] = /^\s*(?:W\/)?"(\d{1,9})[.\-\w]*"\s*$/.exec(ifNoneMatch ?? '') ?? [];
  return version === undefined ? undefined : Number(version);
}
