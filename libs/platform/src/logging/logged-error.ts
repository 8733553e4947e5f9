import { pino } from 'pino';
import { AppError } from '../errors/app-error.js';

/** Causes of causes that are named. */
const MAX_CAUSES = 3;

/**
 * An error as a line of the log has it. One that is to be expected (bad input, a server that is away) says what it is and what
 * caused it: where in our code it was thrown tells nobody anything. A defect has its stack.
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
