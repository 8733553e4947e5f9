import { TimeSlices } from '@parlance/platform/async';
import { entityReader } from '@parlance/text-analysis';
import type { FoundEntity, TranscriptText } from '../engine/summary-engine.js';

/** The entities that rules find in each segment. @throws the signal's reason */
export async function entitiesByRules({ language, recordedAt, lines }: TranscriptText, signal: AbortSignal): Promise<FoundEntity[]> {
  const slices = new TimeSlices(signal);
  const read = await entityReader({ language, recordedAt });
  const found: FoundEntity[] = [];
  for (const { segmentId, text } of lines) {
    await slices.next();
    found.push(...read(text).map((entity) => ({ ...entity, segmentId, method: 'rules' as const })));
  }
  return found;
}
