/** A stretch in which somebody speaks; seconds from the start of the audio, to the millisecond. */
export interface SpeechRegion {
  start: number;
  end: number;
}

/** Finds where speech is. */
export interface VoiceActivityDetector {
  /**
   * Regions in order, not overlapping, each as soon as it has ended. `pcm` is s16le, 16 kHz, mono, in blocks of any length,
   * read no faster than it is judged; memory does not grow with its length.
   * @throws AppError engine_failed; what an abort means (engine_timeout, canceled); an error of `pcm` is thrown on.
   */
  detect(pcm: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncIterable<SpeechRegion>;
}
