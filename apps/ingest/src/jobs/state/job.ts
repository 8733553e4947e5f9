import type { LegalHold } from '../../accounts/legal-hold.js';
import { recordHolder, type common } from '@parlance/contracts';
import { type CollectionDefinition, type Document, ownerOfPart } from '@parlance/storage';
import type { Bill } from './bill.js';
import type { ChunkSet } from './chunk-set.js';
import type { JobSource } from './job-source.js';

export type JobStatus = 'queued' | 'processing' | 'completed' | 'failed' | 'canceled';

export const STAGES = ['ingest', 'transcription', 'diarization', 'summary', 'highlights', 'chapters', 'entities', 'audio_redaction', 'search', 'sealing'] as const;
export type StageName = (typeof STAGES)[number];

/** Stages whose failure never loses the transcript. */
export const ADD_ONS = ['diarization', 'summary', 'highlights', 'chapters', 'entities', 'audio_redaction', 'search'] as const satisfies readonly StageName[];
export type AddOn = (typeof ADD_ONS)[number];

export type StageStatus = 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | 'canceled';

export interface Stage {
  status: StageStatus;
  /** When a retry asked for it again. */
  requestedAt?: string;
  startedAt?: string;
  /** When it last reported that it waits for another try, for instance during an outage. */
  waitedUntil?: string;
  completedAt?: string;
  /** Number of times that it was begun, over all runs. */
  attempts: number;
  error?: common.Failure;
  engine?: string;
  /** The revision of the transcript that was known when the stage was last requested; absent: the recognised text. */
  transcriptRevision?: number;
}

/** One caller's recording on its way to a transcript, and everything that users can read about it. */
export interface Job extends Document {
  accountId: string;
  /** The id of the API key that made it. */
  keyId?: string;
  /** The batch that it was created in. */
  batchId?: string;
  /** The project of the key that made it. */
  projectId?: string;
  /** As in the options; here so that queries find normal jobs. Absent in jobs of a version before, which are normal. */
  priority?: 'normal' | 'batch';
  status: JobStatus;
  /** 1, and one more with each retry; reports of an earlier run are ignored. */
  run: number;
  /** Rises with every change that readers of the job can see; the ETag of the job. */
  revision: number;
  /** The sequence number of the last event that webhooks announce. */
  sequence: number;
  /** True while any stage can still change; the upkeep reads these jobs. */
  open: boolean;
  source: JobSource;
  /** As the source says; here so that queries find live jobs. Absent in all others. */
  kind?: 'live';
  /** Lists are searched by them, see `nameWords`. Absent in jobs of versions before. */
  nameWords?: string[];
  callbackUrl?: string;
  /** Headers for the webhooks to `callbackUrl`: sealed JSON. */
  sealedCallbackHeaders?: string;
  /** Contents that the webhooks to `callbackUrl` have. */
  callbackInclude?: string[];
  /** As its owner calls it. */
  title?: string;
  /** When it was recorded, as its owner says; RFC 3339 UTC. */
  recordedAt?: string;
  options: common.JobOptions;
  /** As in the options; here so that lists can filter by it. */
  metadata: Record<string, string>;
  updatedAt: string;
  /** When requests of stages without a report were last published again. */
  askedAt?: string;
  startedAt?: string;
  completedAt?: string;
  expiresAt?: string;
  /** When its media is to be removed, until that is done; the job and its transcript stay. */
  mediaExpiresAt?: string;
  /** Nothing is erased while it holds. */
  hold?: LegalHold;
  /** Set with a hold, so that a query finds it. */
  held?: 'yes';
  holdReason?: string;
  /** The newest revision of its transcript that was announced; absent while the recognised text was not edited. */
  transcriptRevision?: number;
  /** Summaries that were requested later and have ended, oldest first. */
  endedSummaries?: EndedSummary[];
  /** From here on its media is gone or going: it cannot be transcribed again. */
  mediaRemovedAt?: string;
  /** BCP 47. `transcript` is the language of its text, absent in a job of a version before; `detected` is there only when the engine detected one. */
  language?: { transcript?: string; detected?: string; confidence?: number };
  media?: common.Media;
  /** Diarization was ordered later or is retried: ingest decodes the media again, unless the audio is still there, before the stage begins. */
  awaitsAudio?: true;
  /** By the plan of its account. */
  limits?: MediaLimits;
  /** The part of fetching and decoding that is done, 0 to 1. */
  ingestPart: number;
  /** Length of the media that were decoded, as far as that was reported. */
  decodedMilliseconds?: number;
  planKey?: string;
  audioPrefix?: string;
  chunks: {
    /** 0 until the chunks are planned. */
    total: number;
    done: ChunkSet;
    count: number;
    /** Length of the media in the chunks that are done. */
    milliseconds?: number;
    /** `count` when this run began, for its rate. */
    countAtStart: number;
  };
  /** `stage`: what is at work or comes next, of a job that did not complete where it ended; none once all is done. */
  progress: { percent: number; stage?: StageName; etaSeconds?: number };
  stages: Record<StageName, Stage>;
  error?: common.Failure;
  warnings: common.Warning[];
  /** Seconds of media transcribed, of a canceled job decoded, once the job is completed or canceled. */
  billedSeconds?: number;
  /** At most one a run. */
  bills?: Bill[];
  /** Set when its results are sealed for its caller (`resultKey` of the options); here because the options are sealed themselves. */
  isSealed?: true;
  /** When its sealed result was stored. From here on nothing reads its content. */
  sealedAt?: string;
  /** True when its metadata changed since the search stage began: the stage runs again once nothing else does. */
  mustReindex?: boolean;
  /** The parent of its spans while no other span of it runs: W3C trace context of the request that made or last retried it. */
  traceparent?: string;
}

export interface EndedSummary {
  summaryId: string;
  /** Absent when it was written. */
  error?: common.Failure;
  /** The revision of the job with which it became known. */
  revision: number;
}

/** Limits of one recording, in place of those of the settings. */
export interface MediaLimits {
  bytes?: number;
  seconds?: number;
}

/** The tombstone of a deleted job, so that late reports and repeated requests do not bring it back. */
export interface DeletedJob extends Document {
  deletedAt: string;
  erasureId: string;
  /** Its state at the deletion, for a further `job.deleted`. Tombstones of versions before do not have it. */
  last?: { status: JobStatus; run: number; revision: number; isSealed?: true };
  /** Evidence for the ledger's entries, which outlive the job. */
  bills?: Bill[];
  /** Set when the job was billed, so that a query finds it. */
  status?: 'deleted';
}

export type JobDocument = Job | DeletedJob;

/** False where the job's sealed content is not opened, as in an operator's process without keys: the job can be erased there, and does not begin. */
export const isOpened = ({ source }: { source?: JobSource }): boolean => source !== undefined;

export const isDeleted = (document: JobDocument): document is DeletedJob => 'deletedAt' in document;

export const jobCollection: CollectionDefinition<JobDocument> = {
  name: 'jobs',
  data: { what: 'the request: address or file name, title, metadata, options, callback; state, facts of the recording', purpose: 'the job itself', kept: 'with the job', recipients: 'the server of `audio_url`' },
  indexes: [
    { fields: ['accountId'] },
    { fields: ['accountId', 'status'] },
    { fields: ['accountId', 'status', 'priority'], only: { status: 'queued' } },
    { fields: ['accountId', 'metadata.*'] },
    { fields: ['accountId', 'nameWords[]'] },
    { fields: ['accountId', 'batchId'] },
    { fields: ['accountId', 'projectId'] },
    { fields: ['accountId', 'held'], only: { held: 'yes' } },
    { fields: ['accountId', 'kind'], only: { kind: 'live' } },
    { fields: ['status'] },
    { fields: ['open'], orderBy: 'updatedAt' },
    { fields: ['status'], orderBy: 'expiresAt' },
    { fields: ['status'], orderBy: 'mediaExpiresAt' },
  ],
  sealed: {
    fields: ['source', 'title', 'callbackUrl', 'sealedCallbackHeaders', 'options', 'error', 'warnings', 'media', 'holdReason'],
    owner: (job) => recordOwner(job as Job),
    keepsOpened: true,
  },
};

/** The record of a sealed job outlives the key of its content. */
const recordOwner = ({ accountId, id, isSealed }: Job) => ownerOfPart({ accountId, jobId: isSealed ? recordHolder(id) : id });

export const isTerminal = (status: JobStatus): boolean => status === 'completed' || status === 'failed' || status === 'canceled';
export const isOpenStage = ({ status }: Stage): boolean => status === 'pending' || status === 'running';

/** True while the audio of a live session arrives: nothing but the end of the session or a cancel moves its job on. */
export const isLiveOpen = ({ source, status }: Pick<Job, 'source' | 'status'>): boolean => source.kind === 'live' && source.finishedAt === undefined && status === 'processing';

export const isAwaitingMedia = (job: Job): boolean => job.stages.transcription.status === 'pending' && !isLiveOpen(job);

/** True for a completed job whose audio ingest is to have ready for diarization. */
export const isAwaitingAudio = ({ awaitsAudio, stages }: Job): boolean => awaitsAudio === true && stages.diarization.status === 'pending';

/** True while ingest is to redact the recording: its words are known, and diarization does not read the audio any more. */
export const isAwaitingRedaction = ({ stages }: Job): boolean => isOpenStage(stages.audio_redaction) && stages.transcription.status === 'completed' && !isOpenStage(stages.diarization);

/** True while ingest is to seal the results: every other stage has ended. */
export const isAwaitingSealing = ({ status, stages }: Job): boolean =>
  status === 'processing' && isOpenStage(stages.sealing) && stages.transcription.status === 'completed' && !ADD_ONS.some((name) => isOpenStage(stages[name]));

/** True while the media of the job has words that are to be in no copy of it. */
export const isUnredacted = ({ options: { redaction }, stages }: Pick<Job, 'options' | 'stages'>): boolean =>
  redaction?.audio !== undefined && redaction.keepOriginal !== true && stages.audio_redaction.status !== 'completed';

/** True when the caller requested the stage; the search index is part of every job that is not sealed. */
export function isAskedFor(stage: StageName, options: common.JobOptions): boolean {
  if (stage === 'diarization') return options.diarization?.enabled ?? false;
  if (stage === 'summary') return options.summary?.enabled ?? false;
  if (stage === 'highlights') return options.highlights;
  if (stage === 'chapters') return options.chapters ?? false;
  if (stage === 'entities') return options.entities ?? false;
  if (stage === 'audio_redaction') return options.redaction?.audio !== undefined;
  if (stage === 'search') return options.resultKey === undefined;
  if (stage === 'sealing') return options.resultKey !== undefined;
  return true;
}

/** A job of a version before lacks the stages that were added since; they were not requested. */
export function withEveryStage(job: Job): Job {
  const missing = STAGES.filter((name) => !(name in job.stages));
  if (missing.length === 0) return job;
  return { ...job, stages: { ...job.stages, ...Object.fromEntries(missing.map((name) => [name, { status: 'skipped', attempts: 0 }])) } };
}
