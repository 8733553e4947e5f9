import { CHECKSUM_ALGORITHMS } from './upload-checksum.js';

/** The version of the tus protocol. */
export const TUS_VERSION = '1.0.0';

/** Response headers by which a client learns what the server can do. */
export const TUS_CAPABILITIES = {
  'tus-resumable': TUS_VERSION,
  'tus-version': TUS_VERSION,
  'tus-extension': 'creation,creation-with-upload,termination,expiration,checksum',
  'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
} as const;
