import type { HealthReport } from '@parlance/platform';

/** Which part is unwell, but not why: reasons can name hosts, and go to the log. */
export function publicOutcomes({ status, checks, details }: HealthReport): object {
  const outcomes = Object.entries(checks).map(([name, outcome]) => [name, outcome === 'ok' ? 'ok' : 'unavailable']);
  return { status, checks: Object.fromEntries(outcomes) as Record<string, string>, ...(details && { details }) };
}
