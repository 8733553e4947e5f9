import type { PhaseName } from './phases.js';

/** One call of a program. */
export interface Run {
  phase: PhaseName;
  call: string;
  base_url: string;
  api_key: string;
  /** The path of what is uploaded, or for a live session of its 16 kHz samples. */
  recording: string;
  /** A job that has ended, for calls that need one. */
  job_id: string;
  /** Of a call that is repeated. */
  idempotency_key?: string;
  max_retries: number;
}

/** How a call ended. */
export interface Outcome {
  result?: { job_id?: string; status?: string; text?: string };
  error?: { type: string; message: string; retryable?: boolean; job_id?: string; idempotency_key?: string; attempts?: number };
}

/** An SDK, or the command, under test. */
export interface KilledClient {
  name: string;
  phases: readonly PhaseName[];
  /** Makes the calls at the same time. */
  run(runs: readonly Run[]): Promise<Outcome>[];
}
