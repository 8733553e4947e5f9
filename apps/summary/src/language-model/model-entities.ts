import { namePlaces, type SpokenLine } from '@parlance/text-analysis';
import type { FoundEntity, TranscriptText } from '../engine/summary-engine.js';
import { entitiesAnswer } from './answers.js';
import type { EvidenceCheck } from './evidence-check.js';
import type { ModelCalls } from './model-calls.js';
import type { Prompts } from './prompts.js';
import { transcriptParts } from './transcript-parts.js';

interface EntitiesTask {
  transcript: TranscriptText;
  calls: ModelCalls;
  check: EvidenceCheck;
  prompts: Prompts;
  countTokens(text: string): number;
}

/** Segments of a part, so that its names fit into one answer. */
const MAX_LINES = 60;

/** The people and organisations that the model names, each where its text stands in the segment; others are dropped and counted. */
export async function modelEntities({ transcript, calls, check, prompts, countTokens }: EntitiesTask): Promise<FoundEntity[]> {
  const longest = prompts.fill('entities', { part: 999, parts: 999 });
  const parts = transcriptParts(transcript.lines, calls.room(longest), countTokens, MAX_LINES);
  const found: FoundEntity[] = [];
  for (const [index, part] of parts.entries()) {
    const task = prompts.fill('entities', { part: index + 1, parts: parts.length });
    const { entities } = await calls.ask({ name: 'entities', schema: entitiesAnswer, task, material: part.text });
    for (const { segment, type, text } of entities) {
      const line = segment >= part.first && segment < part.first + part.lines.length ? transcript.lines[segment] : undefined;
      const place = line && placeOf(text.trim(), line, found);
      if (line && place) found.push({ type, ...place, segmentId: line.segmentId, method: 'model' });
      else check.dropped += 1;
    }
  }
  return found;
}

/** The first place of a name in a segment that no entity before it has. */
function placeOf(name: string, { segmentId, text }: SpokenLine, found: readonly FoundEntity[]): { from: number; to: number } | undefined {
  const taken = found.filter((entity) => entity.segmentId === segmentId);
  return namePlaces(name, text).find(({ from, to }) => !taken.some((entity) => from < entity.to && entity.from < to));
}
