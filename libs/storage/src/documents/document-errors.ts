import { AppError } from '@parlance/platform';

export const duplicate = (collection: string, cause?: unknown): AppError =>
  new AppError({ kind: 'conflict', code: 'duplicate', message: `The document already exists in ${collection}.`, cause });

export const versionConflict = (collection: string): AppError =>
  new AppError({ kind: 'conflict', code: 'version_conflict', message: `The document in ${collection} was changed concurrently.` });
