import type { ingest } from '@parlance/contracts';
import { givenTitle, titleOf } from './document-head.js';
import type { FileDelivery } from './file-delivery.js';

/** Characters of a name, after which it is cut; file systems take 255 bytes, and most scripts need three for a character. */
const MAX_NAME_LENGTH = 80;
/** Characters that a file system does not take in a name, and those that reverse or break the text around it. */
const UNUSABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;
const EXTENSION = /\.[A-Za-z0-9]{1,5}$/;

/**
 * Content-Disposition of a document of the job: `filename` is the job's id, as always, and `filename*` is the title of the
 * recording, or the name of its file without its extension (RFC 6266).
 */
export function downloadHeader(job: ingest.Job, extension: string, disposition: FileDelivery['disposition'] = 'attachment'): string {
  return `${disposition}; filename="${job.jobId}.${extension}"; filename*=UTF-8''${encoded(`${fileNameOf(job)}.${extension}`)}`;
}

/** The extension that the sender's name of the recording has, in lower case. */
export const sentExtension = (job: ingest.Job): string | undefined => EXTENSION.exec(titleOf({ ...job, title: undefined, options: undefined }))?.[0].slice(1).toLowerCase();

/** The title of the recording as the name of a file, without an extension; never a path. */
export function fileNameOf(job: ingest.Job): string {
  const title = givenTitle(job) ?? titleOf(job).replace(EXTENSION, '');
  const words = title.replace(UNUSABLE, ' ').split(/\s+/).filter((word) => word !== '');
  return withoutLeadingDots([...words.join(' ')].slice(0, MAX_NAME_LENGTH).join('')) || job.jobId;
}

/** A name with a leading dot is hidden on many systems. */
const withoutLeadingDots = (name: string): string => name.replace(/^[. ]+/, '').trimEnd();

/** RFC 8187, section 3.2.1. encodeURIComponent leaves these five as they are. */
const encoded = (name: string): string => encodeURIComponent(name.toWellFormed()).replace(/['()*!]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
