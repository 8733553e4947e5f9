/** A stretch in which one person speaks; turns of different speakers may overlap. Seconds from the start of the media, to the millisecond. */
export interface SpeakerTurn {
  start: number;
  end: number;
  /** `S1`, `S2`, … in the order of first speaking; the same person keeps it through the whole recording. */
  speakerId: string;
  /** 0 to 1, where the engine can tell. */
  confidence?: number;
}

/** One piece of the recording, in order; pieces may overlap where the plan found no silence to cut at. */
export interface AudioPiece {
  /** The start of the piece, in seconds of the media. */
  start: number;
  /**
   * Signed 16-bit little-endian samples, 16 kHz, one channel; read once, no faster than they are processed; bytes are valid
   * until the next are requested.
   */
  pcm: AsyncIterable<Uint8Array>;
  /** Regions of speech, in seconds of the media; an engine with its own voice activity detection may ignore them. */
  speech: readonly { start: number; end: number }[];
}

export interface DiarizationRequest {
  /** A whole recording piece by piece, so that hours need no more memory than minutes. */
  audio: AsyncIterable<AudioPiece>;
  /** Bounds on how many people speak; both given and equal: exactly so many. */
  minSpeakers?: number;
  maxSpeakers?: number;
  /** Cancels the work. A TimeoutError as its reason counts as the deadline. */
  signal: AbortSignal;
}

export interface DiarizationResult {
  /** The turns in order of start. Empty when there is no speech. */
  turns: SpeakerTurn[];
  speakerCount: number;
  /** Such as bounds that could not be kept; codes of the public contract. */
  warnings?: { code: string; message: string }[];
}

export interface DiarizationEngineInfo {
  name: string;
  /** True when turns of two people may overlap in its answer. */
  overlaps: boolean;
  /** The maximum number of speakers that it distinguishes; undefined when there is no bound. */
  maxSpeakers?: number;
}

/**
 * Finds out who spoke when.
 * `diarize` throws AppError: `engine_failed` (also when it is not installed: not retryable), `engine_timeout`, `canceled`.
 */
export interface SpeakerDiarizer {
  readonly info: DiarizationEngineInfo;
  diarize(request: DiarizationRequest): Promise<DiarizationResult>;
  /** Checks that it can run here. @throws AppError engine_failed that names what is missing. */
  check(): Promise<void>;
  close(): Promise<void>;
}
