import type { OpenSearchUrl } from './opensearch-url.js';

/** Rises with each change of `mappings` that an index has to be copied for. */
export const MAPPING = 1;

/** The metadata that an index stores about itself. */
export interface IndexMeta {
  mapping: number;
  dimensions: number;
}

/** Names on the server: an alias each, behind which the index of a version stands. */
export const passagesAlias = ({ prefix }: OpenSearchUrl): string => `${prefix}-passages`;
export const marksAlias = ({ prefix }: OpenSearchUrl): string => `${prefix}-jobs`;
export const indexName = (alias: string, version: number): string => `${alias}-v${version}`;

const stored = { type: 'text', index: false, norms: false };
const keyword = { type: 'keyword' };

const settings = ({ shards, replicas }: OpenSearchUrl) => ({ number_of_shards: shards, number_of_replicas: replicas, refresh_interval: '1s' });

/** Terms come as this package made them, with spaces between. */
export const passagesIndex = (url: OpenSearchUrl, dimensions: number) => ({
  settings: {
    index: {
      ...settings(url),
      knn: true,
      // Merging for erasure leaves no segment with deleted documents.
      'merge.policy.expunge_deletes_allowed': 0,
    },
  },
  mappings: {
    dynamic: 'strict',
    _meta: { mapping: MAPPING, dimensions } satisfies IndexMeta,
    properties: {
      accountId: keyword,
      jobId: keyword,
      passageId: keyword,
      version: { type: 'long' },
      writtenAt: { type: 'date' },
      createdAt: { type: 'date' },
      duration: { type: 'double' },
      metadata: keyword,
      language: { ...keyword, index: false, doc_values: false },
      languageKey: keyword,
      speakerId: { ...keyword, index: false, doc_values: false },
      speakerName: stored,
      speakerKeys: keyword,
      start: { type: 'double', index: false },
      end: { type: 'double', index: false },
      times: stored,
      text: stored,
      terms: { type: 'text', analyzer: 'whitespace' },
      embedding: { type: 'knn_vector', dimension: dimensions, method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil' } },
    },
  },
});

/** The index of job and account states: their versions, and which are deleted. */
export const marksIndex = (url: OpenSearchUrl) => ({
  settings: { index: { ...settings(url), number_of_shards: 1 } },
  mappings: {
    dynamic: 'strict',
    properties: {
      accountId: keyword,
      jobId: keyword,
      version: { type: 'long' },
      isComplete: { type: 'boolean' },
      writtenAt: { type: 'date' },
    },
  },
});
