/** A spoken word; positions are seconds from the start of the media, in milliseconds' resolution. */
export interface Word {
  start: number;
  end: number;
  /** Never blank. */
  text: string;
  /**
   * The engine's words for which `text` stands; absent where they are the same. Empty where the words before stand for all of them.
   * The raw texts of a transcript in order are all that the engine wrote.
   */
  raw?: string | undefined;
  /** 0 to 1; absent when the engine gives none. */
  confidence?: number | undefined;
  speakerId?: string | undefined;
  /** The channel of the recording, from 0; absent where the channels are mixed. */
  channel?: number | undefined;
  /** Stored once its segment is edited; before, it follows from the place of the word. */
  wordId?: string | undefined;
  /** True when its time is not from the engine: an editor wrote the word. */
  estimated?: boolean | undefined;
  /** The policy by which words were redacted, for which this one stands. */
  redacted?: string | undefined;
  /** The finder of these words: `rules`, or the language `model`. */
  redactedBy?: string | undefined;
}

/** A sentence or phrase of one speaker. */
export interface Segment {
  /** `seg_000001`, in the order of the transcript. */
  segmentId: string;
  start: number;
  end: number;
  speakerId?: string | undefined;
  /** Its words, joined as their script is written. */
  text: string;
  /** The mean of its words; absent when none of them has one. */
  confidence?: number | undefined;
  words: Word[];
  /** The channel of the recording, from 0; absent where the channels are mixed. Segments of different channels may overlap. */
  channel?: number | undefined;
  /** BCP 47: the language that the engine detected there; absent when it detected none. */
  language?: string | undefined;
}

export interface Speaker {
  speakerId: string;
  name: string;
  /** Seconds. */
  talkTime: number;
}

/** The source of the punctuation and capitals of a transcript: the engine, a model of punctuation, rules for English; `none` when it has none. */
export type Formatting = 'engine' | 'model' | 'rules' | 'none';

/** The properties of a transcript as a whole; its segments are streamed beside it. */
export interface TranscriptInfo {
  /** BCP 47. */
  language: string;
  /** Seconds of the media. */
  duration: number;
  speakers: readonly Speaker[];
  /** The revision of the text; absent or 0: as it was recognised. */
  revision?: number | undefined;
  /** Absent in a transcript of a version before. */
  formatting?: Formatting | undefined;
  /** Words that stand for redacted ones, by policy. */
  redacted?: Readonly<Record<string, number>> | undefined;
}
