import { toAppError } from '@parlance/platform';

const MAX_LENGTH = 1000;

/** What a dead letter says of the last try: the error's code and, for the operator who reads it, its own message. */
export function failureReason(thrown: unknown): string {
  const { code } = toAppError(thrown);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return `${code}: ${message}`.slice(0, MAX_LENGTH);
}
