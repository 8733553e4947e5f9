import type { transcripts } from '@parlance/contracts';
import { TimeSlices } from '@parlance/platform';
import { wordIdOf } from '@parlance/transcript';
import type { Entity, FoundEntity } from '../engine/summary-engine.js';

interface PlacedWord {
  id: string;
  start: number;
  end: number;
  /** UTF-16 offsets in the text of the segment. */
  from: number;
  to: number;
}

/** The entities at their words. An entity whose segment is gone is left out. */
export async function placedEntities(found: readonly FoundEntity[], segments: readonly transcripts.Segment[], signal: AbortSignal): Promise<Entity[]> {
  const bySegment = Map.groupBy(found, ({ segmentId }) => segmentId);
  const slices = new TimeSlices(signal);
  const placed: Entity[] = [];
  for (const segment of segments) {
    await slices.next();
    const entities = bySegment.get(segment.segmentId) ?? [];
    const words = entities.length > 0 ? placedWords(segment) : [];
    for (const { type, from, to, normalized, method } of entities) {
      const own = words.filter((word) => word.from < to && from < word.to);
      const [first, last] = [own[0], own.at(-1)];
      if (first && last) placed.push({ ...whereIn(segment, own), type, method, text: segment.text.slice(from, to), start: first.start, end: last.end, ...(normalized !== undefined && { normalized }) });
    }
  }
  return placed;
}

/**
 * The entities with the segments, words and speakers that they have now. An entity is where a word starts at the same time, in the segment
 * that has its text if there are several, as in channels that overlap. One that is not found keeps its place.
 */
export async function replacedEntities(entities: readonly Entity[], segments: AsyncIterable<transcripts.Segment>, signal: AbortSignal): Promise<Entity[]> {
  const byStart = Map.groupBy(entities, ({ start }) => start);
  const slices = new TimeSlices(signal);
  const moved = new Map<Entity, Entity>();
  for await (const segment of segments) {
    await slices.next();
    const starting = segment.words.flatMap(({ start }) => byStart.get(start) ?? []);
    const words = starting.length > 0 ? placedWords(segment) : [];
    for (const entity of starting) {
      const own = words.filter(({ start, end }) => entity.start <= start && end <= entity.end);
      const text = textNow(entity, segment, own);
      if (own.length > 0 && (text !== undefined || !moved.has(entity))) moved.set(entity, { ...withoutSpeaker(entity), ...whereIn(segment, own), ...(text !== undefined && { text }) });
    }
  }
  return entities.map((entity) => moved.get(entity) ?? entity);
}

/** The text of the entity as its words have it now: a word that begins a sentence since the speakers were found has a capital. @returns undefined when they are other words */
function textNow({ text }: Entity, segment: transcripts.Segment, words: readonly PlacedWord[]): string | undefined {
  const said = segment.text.slice(words[0]?.from, words.at(-1)?.to);
  return new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`), 'iu').exec(said)?.[0];
}

const withoutSpeaker = ({ speakerId: _before, ...entity }: Entity): Entity => entity;

const whereIn = ({ segmentId, speakerId }: transcripts.Segment, words: readonly PlacedWord[]): Pick<Entity, 'segmentId' | 'wordIds' | 'speakerId'> => ({
  segmentId,
  wordIds: words.map(({ id }) => id),
  ...(speakerId !== undefined && { speakerId }),
});

/** The words of a segment with their places in its text, which joins them as their script is written. */
function placedWords({ segmentId, text, words }: transcripts.Segment): PlacedWord[] {
  let reached = 0;
  return words.flatMap((word, index) => {
    const from = text.indexOf(word.text, reached);
    if (from < 0) return [];
    reached = from + word.text.length;
    return [{ id: wordIdOf(segmentId, word, index), start: word.start, end: word.end, from, to: reached }];
  });
}
