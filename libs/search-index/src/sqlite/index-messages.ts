import { AppError, receivedError, type ErrorKind } from '@parlance/platform/errors';
import type { CheckedQuery } from '../checked-input.js';
import type { Durability } from '@parlance/platform/sqlite';
import type { IndexedJob, JobVersion, SearchPage, Speaker } from '../search-index.js';

/** The operations of the thread that owns the index. */
export interface IndexThread {
  put(job: IndexedJob): Promise<boolean>;
  updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean>;
  deleteJob(accountId: string, jobId: string): Promise<void>;
  deleteAccount(accountId: string): Promise<void>;
  search(query: CheckedQuery): Promise<SearchPage>;
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface IndexThreadData {
  path: string;
  dimensions: number;
  durability: Durability;
}

export interface Request {
  id: number;
  call: keyof IndexThread;
  values: readonly unknown[];
}

export type Answer = { id: number; result: unknown } | { id: number; error: SentError };

/** Errors lose their class on the way between threads. */
export interface SentError {
  app?: { kind: ErrorKind; code: string };
  message: string;
}

export const asSent = (thrown: unknown): SentError => ({
  ...(thrown instanceof AppError && { app: { kind: thrown.kind, code: thrown.code } }),
  message: thrown instanceof Error ? thrown.message : String(thrown),
});

export const asThrown = ({ app, message }: SentError): Error => (app ? receivedError({ ...app, message }) : new Error(message));
