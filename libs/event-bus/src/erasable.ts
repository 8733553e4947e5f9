import type { EventType, Topic } from '@parlance/contracts';
import { typesOn } from '@parlance/contracts';

/**
 * Its events say what was erased of a job, where and how much, and nothing of what was in it. One that fails is to be found
 * and replayed after the erasure that it reports, which is never complete without it.
 */
export const ERASURE_REPORTS: Topic = 'parlance.erasures.v1';

/** Events that a service publishes as the last ones of a job: it has nothing of it any more. */
export const TELLS_OF_ERASURE: ReadonlySet<EventType> = new Set<EventType>(['job.deleted', ...typesOn(ERASURE_REPORTS)]);

/** Milliseconds after which what was under way when a key was erased has come to its end, with its last events and dead letters. */
export const LATE_MS = 24 * 60 * 60 * 1000;

/** The key by which the events of this key are erased. */
export const rootOf = (key: string): string => key.split('/', 1)[0] ?? '';
