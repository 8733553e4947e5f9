import { postJson, withOpenSearchIndex } from '../opensearch-index.mjs';
import { quantile, times } from '../table.mjs';
import { ACCOUNT, corpus, DIMENSIONS } from './hybrid-search-corpus.mjs';

const PASSAGES = { smoke: 1000, quick: 20_000, full: 100_000 };
const QUERIES = { smoke: 20, quick: 150, full: 400 };
const WARM_UP = { smoke: 5, quick: 50, full: 100 };
const TARGET = 1.2;
const LIMIT = 20;

/** Searches through the port against the same hybrid query sent to OpenSearch by hand, in turns. Needs `OPENSEARCH_URL`. */
export function clusterHybridSearch(size) {
  return withOpenSearchIndex(DIMENSIONS, async ({ index, passages, settle }) => {
    const { jobs, queries } = corpus();
    for (const job of jobs(PASSAGES[size])) await index.put(job);
    await settle();
    const asked = queries(WARM_UP[size] + QUERIES[size]);
    const [port, raw] = [[], []];
    for (const [turn, query] of asked.entries()) {
      const throughPort = async () => port.push(await timed(() => index.search({ accountId: ACCOUNT, limit: LIMIT, ...query })));
      const byHand = async () => raw.push(await timed(() => postJson(`${passages}/_search`, rawBody(query))));
      // They take turns at being first: the second one benefits from caches that the first one has filled.
      for (const search of turn % 2 === 0 ? [throughPort, byHand] : [byHand, throughPort]) await search();
    }
    return [0.5, 0.99].map((part) => {
      const [ours, theirs] = [port, raw].map((all) => quantile(all.slice(WARM_UP[size]).toSorted((a, b) => a - b), part));
      const ratio = ours / theirs;
      return {
        name: `hybrid search, OpenSearch, ${PASSAGES[size].toLocaleString('en')} passages, p${part * 100}`,
        measured: `${ours.toFixed(1)} ms`,
        baseline: `by hand: ${theirs.toFixed(1)} ms`,
        ratio: times(ratio),
        target: `≤ ${TARGET} ×`,
        met: ratio <= TARGET,
      };
    });
  });
}

/** A hybrid query with typos, a tenant and fused ranks, without the port. */
function rawBody({ text, embedding }) {
  const filter = [{ term: { accountId: ACCOUNT } }];
  const words = [{ match: { terms: { query: text } } }, { match: { terms: { query: text, fuzziness: 'AUTO:4,8', prefix_length: 1, max_expansions: 20, boost: 0.3 } } }];
  const queries = [
    { bool: { should: words, minimum_should_match: 1, filter } },
    { knn: { embedding: { vector: [...embedding], k: 200, filter: { bool: { filter } } } } },
  ];
  return {
    size: LIMIT,
    track_total_hits: false,
    _source: { excludes: ['embedding', 'terms'] },
    query: { hybrid: { pagination_depth: 200, queries } },
    search_pipeline: { phase_results_processors: [{ 'score-ranker-processor': { combination: { technique: 'rrf', rank_constant: 60 } } }] },
  };
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
