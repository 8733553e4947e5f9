import { present } from '../../http/schema.js';
import type { UploadJson } from './upload-schema.js';
import type { Upload } from './upload.js';

/** The upload as the public API shows it. */
export const uploadJson = (upload: Upload): UploadJson =>
  present({
    upload_id: upload.id,
    status: upload.status === 'completed' ? ('completed' as const) : ('uploading' as const),
    file_name: upload.fileName,
    size_bytes: upload.sizeBytes,
    received_bytes: upload.receivedBytes,
    sha256: upload.sha256,
    created_at: upload.createdAt,
    completed_at: upload.completedAt,
    expires_at: upload.expiresAt,
  });
