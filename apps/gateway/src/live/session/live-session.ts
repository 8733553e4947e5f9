import { common } from '@parlance/contracts';
import { ownerOfJob, type CollectionDefinition, type Document } from '@parlance/storage';
import type { EndFailures } from './end-failures.js';

export type LiveEncoding = 'pcm_s16le' | 'mulaw' | 'alaw';

/** The form of a session's bytes: raw samples, or a container that the decoder recognizes. */
export type LiveAudio = { encoding: LiveEncoding; sampleRate: number; channels: number } | { container: 'auto' };

export const LIVE_STATUSES = ['open', 'ending', 'ended', 'canceled'] as const;
/** `ending`: no client can connect any more, and what is left is being recognized. */
export type LiveStatus = (typeof LIVE_STATUSES)[number];

/** A point of the audio at which recognition may begin anew, with the same finals from there on. */
export interface RestartPoint {
  /** At 16 kHz, from the start of the session. */
  sample: number;
  /** The utterances that ended before it. */
  utterances: number;
}

/** A connection or a take-over. Its pieces of audio count from the byte `from` on, up to the `from` of the next one. */
export interface Generation {
  generation: number;
  /** The acknowledged bytes at its beginning. */
  from: number;
}

export interface LiveLimits {
  maxFrameBytes: number;
  /** Bytes of the longest session, which is that of the largest recording of the account. */
  maxBytes: number;
  /** Milliseconds without audio or keepalive after which a connection is closed. */
  idleMs: number;
  /** Milliseconds of the longest session. */
  maxSessionMs: number;
  /** Milliseconds after the last commit within which a client may connect again. */
  resumeMs: number;
}

export interface SocketToken {
  /** SHA-256 of the whole token, hexadecimal. */
  hash: string;
  expiresAt: string;
  /** The key or token that it was issued to; its end is that of the connection. */
  credentialId: string;
}

/** A live session. Its id is that of its job. */
export interface LiveSession extends Document {
  accountId: string;
  /** The API key that created it. */
  keyId: string;
  /** The key or token that created it. */
  credentialId: string;
  projectId?: string;
  status: LiveStatus;
  audio: LiveAudio;
  partials: boolean;
  endpointing: { silenceMs: number; maxUtteranceMs: number };
  /** `common.JobOptions` as JSON; see {@link optionsOf}. */
  options: unknown;
  storeAudio: boolean;
  /** `none`: the transcript is made of the finals; `same`: the recording is transcribed again. */
  finalPass: 'none' | 'same';
  /** 0 before the first connection. */
  generation: number;
  /** The generations that have pieces, and the last one; in order. */
  generations: Generation[];
  /** Bytes of the session that are stored. */
  acknowledged: number;
  /** Audio in these bytes, where that is known. */
  audioMs: number;
  restart: RestartPoint;
  /** Unused tokens of its socket. */
  tokens: SocketToken[];
  /** Without a commit until then, the session is ended by the upkeep. */
  resumeUntil: string;
  /** The session is ended then in any case. */
  endsBy: string;
  limits: LiveLimits;
  endedAt?: string;
  ending?: EndFailures;
  /** Set when it has ended: document and events are removed then. */
  removeAfter?: string;
}

export const liveSessionCollection: CollectionDefinition<LiveSession> = {
  name: 'live_sessions',
  data: { what: 'options and state of a live session', purpose: 'live sessions', kept: '7 days after its end, or with the job', recipients: 'the live engine: `LIVE_ENGINE_URL`' },
  account: 'accountId',
  indexes: [{ fields: ['accountId', 'status'] }, { fields: ['status'], orderBy: 'resumeUntil' }, { fields: [], orderBy: 'removeAfter' }],
  sealed: { fields: ['options'], owner: ownerOfJob },
};

export const optionsOf = ({ options }: LiveSession): common.JobOptions => common.JobOptions.fromJSON(options);

export const isOver = ({ status }: LiveSession): boolean => status === 'ended' || status === 'canceled';
