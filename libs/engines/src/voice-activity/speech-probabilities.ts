/** Bytes of the audio that one probability stands for: 512 samples of s16le, 16 kHz, one channel. */
export const WINDOW_BYTES = 1024;

/** Judges one stream of audio, window by window. */
export interface SpeechProbabilityStream {
  /**
   * The probability of speech, 0 to 1, of each window. The blocks are read until the promise settles; together they are a whole number
   * of windows of s16le, 16 kHz, one channel, in the order of the stream. @throws AppError engine_failed; the stream is lost then, and another one has to be opened
   */
  judge(blocks: readonly Uint8Array[]): Promise<number[]>;
  close(): void;
}

/** Says how likely speech is, in audio that is still arriving. */
export interface SpeechProbabilities {
  open(): SpeechProbabilityStream;
  close(): Promise<void>;
}
