import type { Segment } from '@parlance/transcript';

/** A segment of a transcript without its words: a sentence or phrase of one speaker. */
export type SpokenLine = Pick<Segment, 'segmentId' | 'start' | 'end' | 'speakerId' | 'text'>;
