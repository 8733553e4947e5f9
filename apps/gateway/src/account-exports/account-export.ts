import { AppError } from '@parlance/platform';
import type { CollectionDefinition, Document } from '@parlance/storage';

/** The place at which the walk through the account continues. */
export interface ExportPosition {
  /** Index of the section. */
  section: number;
  /** The cursor of the section's list; null at its beginning. */
  cursor: string | null;
  /** Number of the next page or item of the section, from 1. */
  number: number;
}

/** The export of an account, of which there is one at a time; the id is the account's. */
export interface AccountExport extends Document {
  exportId: string;
  /** True when it has the recordings. */
  hasMedia: boolean;
  status: 'processing' | 'completed' | 'failed';
  /** The place at which the next part begins; absent once all parts are stored. */
  position?: ExportPosition;
  /** Parts that are stored. */
  parts: number;
  /** Files and bytes of the archive so far. */
  files: number;
  sizeBytes: number;
  /** The digest of the archive, lower-case hexadecimal. */
  sha256?: string;
  completedAt?: string;
  expiresAt?: string;
  /** Ids of ended exports whose place it took, and whose archives may still be stored. */
  replaces?: readonly string[];
}

export const accountExportCollection: CollectionDefinition<AccountExport> = {
  name: 'account_exports',
  data: { what: 'progress of an export of the account', purpose: 'to give accounts their data', kept: 'ACCOUNT_EXPORT_HOURS after it is made' },
  account: 'id',
  indexes: [{ fields: [], orderBy: 'expiresAt' }],
};

/** The first position: what the account has beside its lists. */
const START: ExportPosition = { section: -1, cursor: null, number: 1 };

export const newExport = (accountId: string, exportId: string, hasMedia: boolean, now: Date): AccountExport => ({
  id: accountId,
  createdAt: now.toISOString(),
  exportId,
  hasMedia,
  status: 'processing',
  position: START,
  parts: 0,
  files: 0,
  sizeBytes: 0,
});

/** The order in the place of an export that has ended; the worker removes the archive of that one. */
export const replacing = ({ exportId, replaces = [] }: AccountExport, order: AccountExport): AccountExport => ({ ...order, replaces: [...replaces, exportId] });

export const exportRunning = (): AppError => new AppError({ code: 'invalid_state', reason: 'still_running', message: 'An export of the account is being made.', retryable: true });
