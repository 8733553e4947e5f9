import type { transcripts } from '@parlance/contracts';
import { wordIdOf } from '@parlance/transcript';
import type { Entity, FoundEntity } from '../engine/summary-engine.js';

interface PlacedWord {
  id: string;
  start: number;
  end: number;
  /** In the text of the segment. */
  from: number;
  to: number;
}

/** The entities at their words, which are read segment by segment. An entity whose segment is gone is left out. */
export async function placedEntities(found: readonly FoundEntity[], segments: AsyncIterable<transcripts.Segment>): Promise<Entity[]> {
  const bySegment = Map.groupBy(found, ({ segmentId }) => segmentId);
  const placed: Entity[] = [];
  for await (const segment of segments) {
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

/** The entities with the segments, words and speakers that they have now, found by the times of their words. One that is not found keeps its place. */
export async function replacedEntities(entities: readonly Entity[], segments: AsyncIterable<transcripts.Segment>): Promise<Entity[]> {
  const moved = new Map<Entity, Entity>();
  for await (const segment of segments) {
    const inside = entities.filter(({ start, end, text }) => segment.start <= start && end <= segment.end && segment.text.includes(text));
    const words = inside.length > 0 ? placedWords(segment) : [];
    for (const entity of inside) {
      const own = words.filter(({ start, end }) => entity.start <= start && end <= entity.end);
      if (own.length > 0) moved.set(entity, { ...withoutSpeaker(entity), ...whereIn(segment, own) });
    }
  }
  return entities.map((entity) => moved.get(entity) ?? entity);
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
