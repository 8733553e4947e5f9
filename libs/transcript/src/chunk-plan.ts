/** A stretch of the media in which somebody speaks, in seconds. */
export interface SpeechRegion {
  start: number;
  end: number;
}

/** One piece of the decoded audio: what one engine call gets. Positions are seconds in the media. */
export interface PlannedChunk {
  index: number;
  /** What the audio file holds, overlap included. */
  start: number;
  end: number;
  /**
   * The part this chunk is responsible for: own ranges tile [0, duration] without gap or overlap.
   * At a cut in silence it is the audio's own edge; at a cut in speech the audio reaches past it, so that the merge sees the words at the seam twice.
   */
  ownStart: number;
  ownEnd: number;
  /** Speech inside [start, end]; when empty, nothing is sent to the engine. */
  speech: SpeechRegion[];
  /** In the media store: raw s16le, 16 kHz, mono, no header. */
  audioKey: string;
}

/** The joint between ingest and transcription, stored as JSON under `<account>/<job>/plan.json`. */
export interface ChunkPlan {
  jobId: string;
  /** Of the decoded audio, seconds. */
  duration: number;
  sampleRate: 16000;
  chunks: PlannedChunk[];
}
