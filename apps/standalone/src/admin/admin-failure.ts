import { AppError, ConfigError } from '@parlance/platform';
import { CommanderError } from 'commander';

export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;
const EXIT_NOT_FOUND = 3;

/** Why a command did not do its work: one line for the operator, an exit code for the script. */
export class AdminFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message);
  }

  static from(thrown: unknown): AdminFailure {
    if (thrown instanceof AdminFailure) return thrown;
    // Commander has written its own message, or the requested help.
    if (thrown instanceof CommanderError) return new AdminFailure('', thrown.exitCode === 0 ? 0 : EXIT_USAGE);
    if (thrown instanceof ConfigError) return new AdminFailure(thrown.message, EXIT_USAGE);
    if (thrown instanceof AppError) return new AdminFailure(thrown.message, thrown.kind === 'not_found' ? EXIT_NOT_FOUND : EXIT_FAILED);
    return new AdminFailure(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown), EXIT_FAILED);
  }
}
