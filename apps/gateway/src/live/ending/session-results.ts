import type { ingest, LiveFinals, ServerMessageOf } from '@parlance/contracts';
import { present } from '../../http/schema.js';
import type { LiveEvent } from '../session/live-events.js';

/** The part of a session's lasting messages that its job needs. */
interface SessionResults {
  finals: LiveFinals['finals'];
  gaps: ingest.LiveGap[];
}

type StoredMessage = Pick<LiveEvent, 'message' | 'isPunctuated'>;

export async function resultsOf(events: AsyncIterable<StoredMessage>): Promise<SessionResults> {
  const results: SessionResults = { finals: [], gaps: [] };
  for await (const event of events) add(results, event);
  return results;
}

function add({ finals, gaps }: SessionResults, { message, isPunctuated }: StoredMessage): void {
  if (message.type === 'final') finals.push({ ...finalOf(message), ...(isPunctuated && { isPunctuated }) });
  if (message.type === 'gap') gaps.push({ start: message.from_ms / 1000, end: message.to_ms / 1000, reason: message.reason });
}

const finalOf = ({ start, end, language, words }: ServerMessageOf<'final'>): LiveFinals['finals'][number] => 
  present({ start, end, language, words: words.map(({ redacted_by: redactedBy, ...word }) => present({ ...word, redactedBy })) });
