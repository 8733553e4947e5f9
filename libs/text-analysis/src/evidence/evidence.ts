/** Words of the transcript and where they are. */
export interface Evidence {
  /** Of the segment in which the quote begins. */
  segmentId: string;
  /** Seconds: from the start of the quote's first segment to the end of its last. */
  start: number;
  end: number;
  /** Verbatim but for white space. */
  quote: string;
}
