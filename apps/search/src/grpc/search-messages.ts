import { search } from '@parlance/contracts';
import type { SearchFilters, SearchHit, SearchMode, SearchPage } from '@parlance/search-index';
import { withProject } from '../indexing/project-pair.js';
import type { TranscriptQuery } from '../searching/transcript-search.js';

const { SearchMode: Mode } = search;

const MODES: readonly [search.SearchMode, SearchMode][] = [
  [Mode.SEARCH_MODE_HYBRID, 'hybrid'],
  [Mode.SEARCH_MODE_SEMANTIC, 'vector'],
  [Mode.SEARCH_MODE_LEXICAL, 'lexical'],
];

export const queryOf = ({ accountId, text, mode, filters, limit, cursor }: search.SearchRequest): TranscriptQuery => ({
  accountId,
  text,
  mode: MODES.find(([message]) => message === mode)?.[1] ?? 'hybrid',
  filters: filtersOf(filters),
  limit,
  ...(cursor !== undefined && { cursor }),
});

/** An empty list is no condition. */
export function filtersOf(filters: search.SearchFilters | undefined): SearchFilters {
  if (!filters) return {};
  const { jobIds, speakers, languages, createdAfter, createdBefore, projectId } = filters;
  const metadata = withProject(filters.metadata, projectId);
  return {
    ...(jobIds.length > 0 && { jobIds }),
    ...(speakers.length > 0 && { speakers }),
    ...(languages.length > 0 && { languages }),
    ...(createdAfter && { createdFrom: createdAfter.toISOString() }),
    ...(createdBefore && { createdBefore: createdBefore.toISOString() }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

export const pageMessage = ({ hits, mode, nextCursor }: SearchPage): search.SearchResponse => ({
  hits: hits.map(hitMessage),
  mode: MODES.find(([, name]) => name === mode)?.[0] ?? Mode.SEARCH_MODE_UNSPECIFIED,
  nextCursor: nextCursor ?? undefined,
});

const hitMessage = ({ passageId, speaker, jumpTo, snippet, createdAt, ...hit }: SearchHit): search.SearchHit => ({
  ...hit,
  segmentId: passageId,
  jumpTo,
  speakerId: speaker?.id,
  speaker: speaker?.name,
  snippet: { text: snippet.text, marks: snippet.marks.map(([from, before]) => ({ from, before })) },
  createdAt: new Date(createdAt),
});
