import { AppError } from '@parlance/platform';

/** The backup cannot be used, and why. */
export const badBackup = (reason: string, cause?: unknown): AppError =>
  new AppError({ kind: 'invalid', code: 'backup_damaged', message: `The backup is not usable: ${reason}.`, cause });
