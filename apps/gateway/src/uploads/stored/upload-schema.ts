import { z } from 'zod';
import { idSchema, openEnum, time } from '../../http/schema.js';

export const uploadId = idSchema('upl', 'upl_01k9z3v4n8');

export const uploadStatus = z
  .enum(['uploading', 'completed'])
  .meta({ id: 'UploadStatus', description: '`uploading`: bytes are missing. `completed`: jobs can be created from it.' });

const bytes = z.int().nonnegative();

export const uploadSchema = z
  .object({
    upload_id: uploadId,
    status: openEnum(uploadStatus).meta({ description: 'The state of the upload.' }),
    file_name: z.string().optional().meta({ description: 'The name of the file, without folders. It becomes the `file_name` of jobs.', example: 'meeting.mp3' }),
    size_bytes: bytes.optional().meta({ description: 'The size of the file in bytes. Absent while it is not known.', example: 5_242_880 }),
    received_bytes: bytes.meta({ description: 'The bytes that have arrived, a few seconds old at most.', example: 5_242_880 }),
    sha256: z.string().optional().meta({ description: 'The SHA-256 digest of the file in lower-case hexadecimal, once it was computed.', example: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' }),
    created_at: time.meta({ description: 'When the upload began.' }),
    completed_at: time.optional().meta({ description: 'When its last byte had arrived.' }),
    expires_at: time.meta({ description: 'When the upload is removed, unless more bytes arrive or a job is created from it before.' }),
  })
  .meta({ id: 'Upload', description: 'A file that was uploaded, or is on its way, for jobs that are created by its `upload_id`.' });

const directPart = z
  .object({
    part_number: z.int().positive().meta({ description: 'The number of the part, from 1.' }),
    url: z.string().meta({ description: 'The URL to send this part to by `PUT`, without an API key, until the upload expires, but for at most a week.', format: 'uri', example: 'https://bucket.s3.example/upload?partNumber=1&X-Amz-Signature=0f3a' }),
    size_bytes: bytes.meta({ description: 'The bytes of the file that belong to the part, behind those of the parts before.' }),
  })
  .meta({ id: 'DirectUploadPart', description: 'A part of a file that is sent straight to the bucket.' });

export const directUploadSchema = uploadSchema.extend({ parts: z.array(directPart).meta({ description: 'The parts of the file, in order.' }) }).meta({ id: 'DirectUpload', description: 'An upload whose parts are sent straight to the bucket.' });

export const newDirectUploadSchema = z
  .strictObject({
    size_bytes: z.int().positive().meta({ description: 'The size of the file in bytes.', example: 52_428_800 }),
    file_name: z.string().min(1).max(1024).optional().meta({ description: 'The name of the file.', example: 'meeting.mp3' }),
  })
  .meta({ id: 'NewDirectUpload', description: 'A file that is sent straight to the bucket.' });

export type UploadJson = z.output<typeof uploadSchema>;
