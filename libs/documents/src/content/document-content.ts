export type DocumentFormat = 'docx' | 'pdf' | 'md';

/** The part of the document before the transcript. */
export interface DocumentHead {
  title: string;
  /** RFC 3339; when the job was created. */
  createdAt?: string | undefined;
  /** BCP 47. */
  language: string;
  /** Seconds of the media. */
  duration: number;
  /** Names of who speaks, when the document is to say it. */
  speakers: readonly string[];
  /** A summary and what belongs to it, before the transcript. */
  sections: readonly DocumentSection[];
  /** For `md`: a Liquid template, by which the document is written instead. */
  template?: string | undefined;
}

export interface DocumentSection {
  heading: string;
  paragraphs: readonly string[];
  items: readonly DocumentItem[];
}

interface DocumentItem {
  text: string;
  /** Seconds: where it is said. */
  start?: number | undefined;
}

/** A paragraph of the transcript. */
export interface DocumentTurn {
  text: string;
  /** Set when this speaker begins, or continues after another speaker. */
  speaker?: string | undefined;
  /** Seconds. */
  start?: number | undefined;
}
