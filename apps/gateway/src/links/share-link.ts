import type { FormatName } from '@parlance/transcript';
import type { Document } from '@parlance/storage';

/** The contents of a job that a link can open. */
export const LINK_CONTENTS = ['transcript', 'media', 'export'] as const;
export type LinkContent = (typeof LINK_CONTENTS)[number];

/** A link that opens one content of a job without a key, in its stored form, which does not contain its secret. */
export interface ShareLink extends Document {
  accountId: string;
  jobId: string;
  /** The key that created the link; the link ends with it. */
  keyId: string;
  what: LinkContent;
  /** The format of a transcript or export. */
  format?: FormatName | 'chapters.vtt';
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  /** The time from which the link is refused, RFC 3339. */
  expiresAt: string;
}
