import { withTimeout } from '../async/with-timeout.js';

/** One thing a service needs; resolves when it is usable, throws with a short reason when not. */
export interface HealthCheck {
  name: string;
  check(): Promise<void>;
}

export interface HealthReport {
  status: 'ok' | 'unavailable';
  checks: Record<string, string>;
  /** Facts about how this process runs that do not decide its status, such as `media_sandbox`. */
  details?: Record<string, string>;
}

/** Runs all checks, each limited to `timeoutMs`. */
export async function checkHealth(checks: readonly HealthCheck[], timeoutMs = 2000): Promise<HealthReport> {
  const results = await Promise.all(checks.map(async ({ name, check }) => [name, await outcome(check, timeoutMs)] as const));
  return {
    status: results.every(([, result]) => result === 'ok') ? 'ok' : 'unavailable',
    checks: Object.fromEntries(results),
  };
}

async function outcome(check: () => Promise<void>, timeoutMs: number): Promise<string> {
  try {
    return await withTimeout(timeoutMs, check().then(() => 'ok'), () => 'timed out');
  } catch (error) {
    return error instanceof Error ? error.message : 'failed';
  }
}
