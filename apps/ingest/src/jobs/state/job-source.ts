import { common } from '@parlance/contracts';

const { LIVE_FINAL_PASS_SAME } = common.LiveFinalPass;

export type JobSource = UrlSource | UploadSource | LiveSource;

/** `url` is as the caller gave it until the media was fetched, then without user information, query and fragment. */
interface UrlSource {
  kind: 'url';
  url: string;
  fetched: boolean;
  /** Headers for the fetch, until it is done: sealed JSON. */
  sealedHeaders?: string;
}

interface UploadSource {
  kind: 'upload';
  mediaKey: string;
  sizeBytes: number;
  sha256: string;
  fileName?: string;
  /** Files of the job, when each participant has one. */
  tracks?: number;
  /** The uploads that they were copied from, in their order. */
  uploadIds?: string[];
}

/** A live session, whose recording is joined of pieces once it is finished. */
export interface LiveSource {
  kind: 'live';
  audio: common.LiveAudio;
  finalPass: common.LiveFinalPass;
  storeAudio: boolean;
  /** When its audio was complete. */
  finishedAt?: string;
  /** The object with its finals; absent when none were recognized. */
  finalsKey?: string;
}

/** The finals that the transcript is made of; undefined when the recording is transcribed as a file. */
export const finalsOf = (source: JobSource): string | undefined => (source.kind === 'live' && source.finalPass !== LIVE_FINAL_PASS_SAME ? source.finalsKey : undefined);
