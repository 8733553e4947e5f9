import type { common } from '@parlance/contracts';
import type { MediaLimits, StageName } from './job.js';
import type { LiveGap } from './live-gaps.js';

/** An input of the state machine. Reports carry the run they belong to; those of another run change nothing. */
export type JobInput =
  | { type: 'started'; run: number }
  | { type: 'source_fetched'; run: number }
  /** The audio of a live session is complete. `pieces`: their number; `finalsKey`: empty when nothing was recognized. */
  | { type: 'live_finished'; pieces: number; gaps: readonly LiveGap[]; finalsKey: string }
  /** The part of fetching and decoding that is done, 0 to 1, and the seconds of the media that were decoded. */
  | { type: 'ingest_progressed'; run: number; part: number; decodedSeconds?: number }
  /** `samePlan`: the chunks are those of an earlier run. */
  | ({ type: 'media_ready'; run: number; warnings: readonly common.Warning[]; samePlan?: boolean } & PlannedMedia)
  /** The audio that an add-on ordered later needs was decoded again. */
  | { type: 'audio_ready'; run: number }
  /** The audio was removed because the job did not need it in the run `inRun`. */
  | { type: 'audio_removed'; inRun: number }
  /** `media`: what the redacted recording is. */
  | { type: 'audio_redacted'; run: number; media: Partial<common.Media> }
  /** The sealed result is stored. */
  | { type: 'result_sealed'; run: number }
  /** The results can never be sealed. */
  | { type: 'sealing_failed'; run: number; error: common.Failure }
  /** The key and the media of a sealed job are destroyed. */
  | { type: 'content_erased'; run: number }
  | { type: 'ingest_failed'; run: number; error: common.Failure }
  | { type: 'chunk_done'; run: number; index: number; total: number; ownSeconds?: number; warnings: readonly common.Warning[] }
  | { type: 'chunk_failed'; run: number; index: number; error: common.Failure }
  | { type: 'transcript_completed'; run: number; language: string; detectedLanguage?: string; languageConfidence?: number; engine: string; warnings: readonly common.Warning[] }
  /** `at`: when the stage began, RFC 3339. */
  | { type: 'stage_started'; run: number; stage: StageName; at: string; engine?: string; isWaiting?: boolean }
  | {
      type: 'stage_finished';
      run: number;
      stage: StageName;
      status: 'completed' | 'failed' | 'skipped';
      error?: common.Failure;
      engine?: string;
      warnings: readonly common.Warning[];
      /** No service reported it: the event is published to the stages that wait for it. */
      isUnheard?: boolean;
    }
  /** The transcript has a newer revision. */
  | { type: 'transcript_edited'; revision: number }
  /** A summary that was requested later was written, or given up with an error. */
  | { type: 'summary_finished'; summaryId: string; error?: common.Failure }
  /** No event of the job was received for too long. */
  | { type: 'stalled'; run: number; error: common.Failure }
  /** Audio that its open session has taken. */
  | { type: 'live_audio_taken'; milliseconds: number }
  /** The session of a live job was neither finished nor canceled in the longest time that it can take. */
  | { type: 'live_lost' }
  /** The process started after an unclean stop: an event may be lost. */
  | { type: 'resumed'; run: number }
  | { type: 'cancel' }
  /** `ifMatch`: revisions of which the job must have one; empty: any. */
  | { type: 'update'; ifMatch: readonly string[]; changes: JobChanges }
  | { type: 'hold'; hold: NewHold }
  | { type: 'lift_hold'; byOperator: boolean }
  /** The time of its media is over: nothing needs it from here on. */
  | { type: 'media_expired' }
  /** It is gone from the store. */
  | { type: 'media_erased' }
  /** Add-ons of a completed job. */
  | ({ type: 'order_add_ons' } & AddOnOrder)
  /** `limits`: as they are now. `force`: also of a failure that another try does not change. */
  | { type: 'retry'; limits?: MediaLimits; force?: boolean };

/** A legal hold as it is set; `until`: RFC 3339 UTC. */
export interface NewHold {
  reason: string;
  until?: string;
  byOperator?: true;
}

/** An add-on that is absent is not ordered. */
export interface AddOnOrder {
  diarization?: common.DiarizationOptions;
  summary?: common.SummaryOptions;
  highlights?: boolean;
  chapters?: boolean;
  entities?: boolean;
  /** The revision of the transcript, where the caller knows it before its event is here. */
  transcriptRevision?: number;
}

/** A field that is absent stays as it is; null removes it. */
export interface JobChanges {
  title?: string | null;
  /** RFC 3339 UTC. */
  recordedAt?: string | null;
  metadata?: Record<string, string>;
  retentionHours?: number | null;
  mediaRetentionHours?: number | null;
  callbackUrl?: string | null;
  sealedCallbackHeaders?: string | null;
  /** Empty: none. */
  callbackInclude?: string[];
}

export interface PlannedMedia {
  media: common.Media;
  planKey: string;
  audioPrefix: string;
  chunksTotal: number;
}
