import type { Schemas } from '../schemas.js';

type Message<Type extends string, Event> = Omit<Event, 'event'> & { type: Type };

export type LiveFinal = Message<'final', Schemas['LiveFinalEvent']>;
export type LivePartial = Message<'partial', Schemas['LivePartialEvent']>;
export type LiveGap = Message<'gap', Schemas['LiveGapEvent']>;
export type LiveFinished = Message<'finished', Schemas['LiveFinishedEvent']>;

export interface LiveReady {
  type: 'ready';
  acknowledged_offset: number;
  last_seq: number;
  generation: number;
  mode: string;
  engine: string;
}

export interface LiveAck {
  type: 'ack';
  offset: number;
  audio_ms: number;
  processed_ms: number;
  lag_ms: number;
}

export interface LiveProblem {
  type: 'error';
  code: string;
  message: string;
  retryable: boolean;
  retry_after_ms?: number;
  request_id: string;
}

/** A message of the server (docs/live.md). Those that this version does not know have other types. */
export type LiveMessage =
  | LiveFinal
  | LivePartial
  | LiveGap
  | LiveFinished
  | LiveReady
  | LiveAck
  | LiveProblem
  | Message<'speech_started', Schemas['LiveSpeechStartedEvent']>
  | Message<'speech_ended', Schemas['LiveSpeechEndedEvent']>
  | { type: 'warning'; code: string; message: string }
  | { type: 'go_away'; reconnect_within_ms: number };
