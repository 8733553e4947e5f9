import type { Segment, Speaker } from '../transcript.js';

/** Which speakers turned out to be another one: id → id. None stands for one that is itself gone. */
export type SpeakerMerges = Readonly<Record<string, string>>;

/** The merges with one more. */
export function mergeInto(merges: SpeakerMerges, from: string, into: string): SpeakerMerges {
  const moved = Object.entries(merges).map(([gone, kept]) => [gone, kept === from ? into : kept]);
  return { ...Object.fromEntries(moved), [from]: into };
}

/** The speakers without the one that is gone, whose talk time the other has. */
export function mergedSpeakers(speakers: readonly Speaker[], from: string, into: string): Speaker[] {
  const gone = speakers.find(({ speakerId }) => speakerId === from);
  return speakers
    .filter((speaker) => speaker !== gone)
    .map((speaker) => (speaker.speakerId === into ? { ...speaker, talkTime: sumOf(speaker.talkTime, gone?.talkTime) } : speaker));
}

/** The segment as it is said now. */
export function withMerges(segment: Segment, merges: SpeakerMerges): Segment {
  const { speakerId } = segment;
  const kept = speakerId === undefined ? undefined : merges[speakerId];
  if (kept === undefined) return segment;
  return { ...segment, speakerId: kept, words: segment.words.map((word) => ({ ...word, speakerId: kept })) };
}

const sumOf = (one: number, other = 0): number => Math.round((one + other) * 1000) / 1000;
