import type { Weight } from '../fonts/document-font.js';

export interface TextStyle {
  /** Points. */
  size: number;
  weight: Weight;
  color: string;
}

/** A stretch of a paragraph in one style. */
export interface Span {
  text: string;
  style: TextStyle;
}
