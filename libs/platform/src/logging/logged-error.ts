import { pino } from 'pino';
import { AppError } from '../errors/app-error.js';

/** Causes of causes that are named. */
const MAX_CAUSES = 3;

/**
 * The form of an error in the log. An expected error (bad input, an unavailable server) is logged with its kind and its
 * causes: its stack would not help. A defect is logged with its stack.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof AppError) || error.kind === 'internal') return pino.stdSerializers.err(error as Error);
  const { kind, code, message, retryable } = error;
  const causes = causesOf(error);
  return { type: 'AppError', kind, code, message, retryable, ...(causes.length > 0 && { causes }) };
}

function causesOf({ cause }: Error): string[] {
  const causes: string[] = [];
  for (let at: unknown = cause; at instanceof Error && causes.length < MAX_CAUSES; at = at.cause) causes.push(`${at.name}: ${at.message}`);
  return causes;
}
