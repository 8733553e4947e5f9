import { z } from 'zod';
import { defineOperation } from '../../http/operation.js';
import { noParams, noQuery, pageOf, pageQuery } from '../../http/schema.js';
import { directUploadSchema, newDirectUploadSchema, uploadId, uploadSchema, uploadStatus } from './upload-schema.js';

const TAG = 'Uploads';
const PATH = '/api/v1/uploads';
const UPLOAD_PATH = `${PATH}/{upload_id}` as const;

const uploadParams = z.object({ upload_id: uploadId });

export const createUpload = defineOperation({
  id: 'createUpload',
  method: 'POST',
  path: PATH,
  tag: TAG,
  summary: 'Upload a file',
  description: 'Send the file as the body, or as the part `file` of a form. Any number of jobs can be created from it by `upload_id`; each has its own copy. With `Tus-Resumable: 1.0.0` and `Upload-Length`, it begins a resumable upload by the [tus protocol](https://tus.io/protocols/resumable-upload). An unused upload expires.',
  access: 'transcriptions:write',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({
    file_name: z.string().min(1).max(1024).optional().meta({ description: 'The name of the file. By default the name that a form states.', example: 'meeting.mp3' }),
  }),
  headers: {
    'Content-Digest': 'The SHA-256 digest of the body as `sha-256=:<base64>:` (RFC 9530). Another body is refused. `Repr-Digest` is read as well.',
    'Tus-Resumable': '`1.0.0`, to begin a resumable upload.',
    'Upload-Length': 'The size of the file of a resumable upload, in bytes.',
    'Upload-Metadata': 'Of a resumable upload: `filename <base64>` names the file.',
  },
  body: { binary: 'The audio or video file, of any media type.' },
  answers: { 201: { description: 'The upload.', schema: uploadSchema, headers: { Location: 'The upload.' } } },
  problems: [
    'unknown_field', 'media_empty', 'media_too_large', 'digest_mismatch', 'storage_quota_exhausted', 'storage_full', 'malformed_request', 'request_timeout', 'not_found', 'too_many_uploads', 'protocol_version', 'checksum_mismatch', 'not_supported',
  ],
});

export const createDirectUpload = defineOperation({
  id: 'createDirectUpload',
  method: 'POST',
  path: '/api/v1/direct-uploads',
  tag: TAG,
  summary: 'Begin an upload straight to the bucket',
  description: 'Returns a URL for each part of the file: send each by `PUT`, then complete the upload. Only where the operator allows it; otherwise `not_supported`.',
  access: 'transcriptions:write',
  isWithinProject: true,
  params: noParams,
  query: noQuery,
  body: { schema: newDirectUploadSchema },
  answers: { 201: { description: 'The upload and its parts.', schema: directUploadSchema, headers: { Location: 'The upload.' } } },
  problems: ['unknown_field', 'not_supported', 'media_too_large', 'storage_quota_exhausted', 'too_many_uploads'],
});

export const completeUpload = defineOperation({
  id: 'completeUpload',
  method: 'POST',
  path: `${UPLOAD_PATH}/complete`,
  tag: TAG,
  summary: 'Complete an upload whose parts were sent to the bucket',
  access: 'transcriptions:write',
  params: uploadParams,
  query: noQuery,
  answers: { 200: { description: 'The completed upload.', schema: uploadSchema } },
  problems: ['unknown_field', 'not_found', 'upload_incomplete', 'invalid_state'],
});

export const listUploads = defineOperation({
  id: 'listUploads',
  method: 'GET',
  path: PATH,
  tag: TAG,
  summary: 'List uploads, newest first',
  access: 'transcriptions:read',
  isWithinProject: true,
  params: noParams,
  query: z.strictObject({ ...pageQuery, status: uploadStatus.optional().meta({ description: 'Lists uploads with this status.' }) }),
  answers: { 200: { description: 'One page.', schema: pageOf(uploadSchema) } },
  problems: ['unknown_field', 'invalid_cursor'],
});

export const getUpload = defineOperation({
  id: 'getUpload',
  method: 'GET',
  path: UPLOAD_PATH,
  tag: TAG,
  summary: 'Get an upload and its progress',
  description: '`HEAD` with `Tus-Resumable: 1.0.0` returns `Upload-Offset` and `Upload-Length` of a resumable upload, and ends a request that still sends bytes for it.',
  access: 'transcriptions:read',
  params: uploadParams,
  query: noQuery,
  answers: { 200: { description: 'The upload.', schema: uploadSchema } },
  problems: ['unknown_field', 'not_found'],
});

export const appendToUpload = defineOperation({
  id: 'appendToUpload',
  method: 'PATCH',
  path: UPLOAD_PATH,
  tag: TAG,
  summary: 'Continue a resumable upload',
  description: 'Appends bytes by the tus protocol, version 1.0. Bytes up to the `Upload-Offset` of an answer are durable; `HEAD` returns the offset to continue from. The upload is complete with its last byte.',
  access: 'transcriptions:write',
  params: uploadParams,
  query: noQuery,
  headers: {
    'Tus-Resumable': '`1.0.0`.',
    'Upload-Offset': 'The number of bytes that the server has.',
    'Upload-Checksum': 'The checksum of this body as `<algorithm> <base64>`, with `sha1`, `sha256` or `sha512`. A body with another checksum is discarded.',
  },
  body: { binary: 'Bytes of the file from `Upload-Offset` on.', binaryType: 'application/offset+octet-stream' },
  answers: { 204: { description: 'The bytes are stored.', headers: { 'Upload-Offset': 'The number of bytes that the server has now.', 'Upload-Expires': 'When the upload expires unless more bytes arrive. Absent once it is complete.', 'Tus-Resumable': '`1.0.0`.' } } },
  problems: ['unknown_field', 'not_found', 'upload_offset_mismatch', 'checksum_mismatch', 'protocol_version', 'media_too_large', 'storage_quota_exhausted', 'storage_full', 'not_supported'],
});

export const deleteUpload = defineOperation({
  id: 'deleteUpload',
  method: 'DELETE',
  path: UPLOAD_PATH,
  tag: TAG,
  summary: 'Delete an upload',
  description: 'Removes the file, also while it is still arriving. Jobs that were created from it keep their media.',
  access: 'transcriptions:write',
  params: uploadParams,
  query: noQuery,
  answers: { 204: { description: 'The upload and its file are removed.' } },
  problems: ['unknown_field', 'not_found'],
});
