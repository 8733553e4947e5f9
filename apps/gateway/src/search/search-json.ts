import { search } from '@parlance/contracts';
import { present } from '../http/schema.js';
import { timeText } from '../transcriptions/job-json.js';
import type { SEARCH_MODES } from './search-operations.js';

type ModeName = (typeof SEARCH_MODES)[number];

const { SearchMode: Mode } = search;

const MODES: Record<ModeName, search.SearchMode> = {
  hybrid: Mode.SEARCH_MODE_HYBRID,
  semantic: Mode.SEARCH_MODE_SEMANTIC,
  lexical: Mode.SEARCH_MODE_LEXICAL,
};

export const modeMessage = (name: ModeName = 'hybrid'): search.SearchMode => MODES[name];

const modeName = (message: search.SearchMode): string | undefined => Object.entries(MODES).find(([, mode]) => mode === message)?.[0];

interface FilterParameters {
  job_id?: string | undefined;
  speaker?: string | undefined;
  language?: string | undefined;
  created_after?: Date | undefined;
  created_before?: Date | undefined;
  metadata?: Record<string, string> | undefined;
}

const list = (value: string | undefined): string[] => (value === undefined ? [] : [value]);

export const filtersMessage = ({ job_id, speaker, language, created_after, created_before, metadata = {} }: FilterParameters, projectId: string | undefined): search.SearchFilters => ({
  jobIds: list(job_id),
  speakers: list(speaker),
  languages: list(language),
  createdAfter: created_after,
  createdBefore: created_before,
  metadata,
  projectId,
});

export const pageJson = ({ hits, mode, nextCursor }: search.SearchResponse) => ({
  data: hits.map(hitJson),
  mode: modeName(mode),
  next_cursor: nextCursor ?? null,
});

const matchesJson = ({ text, marks }: search.Snippet = { text: '', marks: [] }) => ({
  text,
  ranges: marks.map(({ from: start, before: end }) => ({ start, end })),
  marks: marks.map(({ from, before }) => [from, before]),
});

const hitJson = (hit: search.SearchHit) =>
  present({
    job_id: hit.jobId,
    segment_id: hit.segmentId,
    start: hit.start,
    end: hit.end,
    jump_to: hit.jumpTo,
    speaker_id: hit.speakerId,
    speaker: hit.speaker,
    language: hit.language,
    text: hit.text,
    highlights: matchesJson(hit.snippet),
    score: hit.score,
    created_at: timeText(hit.createdAt),
  });
