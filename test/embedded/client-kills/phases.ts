/** What a phase does when its request comes to the proxy. */
type Hold =
  /** Forwards nothing. */
  | 'request'
  /** Forwards a part of the body. */
  | 'body'
  /** Forwards the request and keeps its answer, if there is one. */
  | 'poll'
  /** Forwards the request, and keeps the answer that comes. */
  | 'answer'
  /** Passes on all of the first piece of the answer but its last byte. */
  | 'stream'
  /** Forwards a part of what the client sends on a WebSocket. */
  | 'socket';

/** The moment of a call at which the server is killed. */
export interface Phase {
  /** The call that the programs make. */
  call: 'transcribe' | 'events' | 'export' | 'chat' | 'live';
  recording: 'small' | 'large';
  method: string;
  url: RegExp;
  hold: Hold;
}

const job = String.raw`/api/v1/transcriptions/job_\w+`;

export const PHASES = {
  'a piece of a large upload': { call: 'transcribe', recording: 'large', method: 'PATCH', url: /^\/api\/v1\/uploads\/\w+$/, hold: 'body' },
  'a small upload': { call: 'transcribe', recording: 'small', method: 'POST', url: /^\/api\/v1\/uploads/, hold: 'body' },
  'after the upload, before the job': { call: 'transcribe', recording: 'small', method: 'POST', url: /^\/api\/v1\/transcriptions$/, hold: 'request' },
  'the answer that has the job': { call: 'transcribe', recording: 'small', method: 'POST', url: /^\/api\/v1\/transcriptions$/, hold: 'answer' },
  'a wait for the job': { call: 'transcribe', recording: 'small', method: 'GET', url: new RegExp(`^${job}\\?`), hold: 'poll' },
  'a stream of events': { call: 'events', recording: 'small', method: 'GET', url: new RegExp(`^${job}/events`), hold: 'stream' },
  'the download of an export': { call: 'export', recording: 'small', method: 'GET', url: new RegExp(`^${job}/export/pdf`), hold: 'stream' },
  'a chat answer': { call: 'chat', recording: 'small', method: 'POST', url: /^\/api\/v1\/chat$/, hold: 'stream' },
  'a live session': { call: 'live', recording: 'small', method: 'GET', url: /\/socket/, hold: 'socket' },
} as const satisfies Record<string, Phase>;

export type PhaseName = keyof typeof PHASES;

export const PHASE_NAMES = Object.keys(PHASES) as PhaseName[];
