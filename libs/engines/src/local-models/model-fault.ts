import { AppError } from '@parlance/platform';

/** A model cannot be got, in one line for who asked for it. */
export const modelFault = (message: string, cause?: unknown): AppError =>
  new AppError({ kind: 'unavailable', code: 'model_unavailable', message, retryable: false, ...(cause !== undefined && { cause }) });

const ON_DISK: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it is on a read-only file system',
};

/** Maps an error of writing below `folder` to a fault; returns any other error unchanged. */
export function diskFault(error: unknown, folder: string): unknown {
  const reason = ON_DISK[(error as NodeJS.ErrnoException | null)?.code ?? ''];
  return reason === undefined ? error : modelFault(`Nothing can be written to ${folder}: ${reason}.`, error);
}
