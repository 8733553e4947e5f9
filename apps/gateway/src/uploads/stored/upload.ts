import { type CollectionDefinition, type Document, ownerOfJob, type PartialObject } from '@parlance/storage';

/** A file that a caller uploads to create jobs from. */
export interface Upload extends Document {
  accountId: string;
  /** `removing`: its file is being removed, and callers do not find it any more. */
  status: 'uploading' | 'completed' | 'removing';
  fileName?: string;
  /** The project of the key that created it. */
  projectId?: string;
  /** As stated before the file arrived; the real size once it is complete. */
  sizeBytes?: number;
  /** While it is uploading: bytes that were received when this was last stored. */
  receivedBytes: number;
  /** Lower-case hexadecimal, once it is known. */
  sha256?: string;
  completedAt?: string;
  /** The state of an upload that arrives in several requests, until it is complete. */
  partial?: PartialObject;
  /** Its parts are sent to the media store without this server: the size of all but the last. */
  directPartBytes?: number;
  /** The request that receives bytes for it, if any: no other one may change `partial`. */
  writer?: string;
  /** Upload-Metadata of the tus protocol. */
  tusMetadata?: Record<string, string | null>;
  /** When it is removed, unless it is used or more bytes arrive before. */
  expiresAt: string;
}

export const uploadCollection: CollectionDefinition<Upload> = {
  name: 'uploads',
  data: { what: 'name, size and type of an uploaded file', purpose: 'uploads', kept: 'with the upload' },
  indexes: [{ fields: ['accountId'] }, { fields: ['accountId', 'status'] }, { fields: ['accountId', 'projectId'] }, { fields: [], orderBy: 'expiresAt' }],
  sealed: { fields: ['fileName', 'tusMetadata'], owner: ownerOfJob },
};
