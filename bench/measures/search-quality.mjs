import { labelledSet, ndcg } from '../search-quality/labelled-set.mjs';
import { withIndexedSet, withIndexedSetOnOpenSearch } from '../search-quality/indexed-set.mjs';

const SMOKE_QUERIES = 10;
const accountId = 'bench';
const signal = new AbortController().signal;

/** nDCG@10 of the embedded index with the built-in embeddings, on the labelled set: by words, by meaning, by both. */
export const searchQuality = () => withIndexedSet((set) => qualityOf(set, Infinity));

/** The same of OpenSearch. */
export const clusterSearchQuality = (size) => withIndexedSetOnOpenSearch((set) => qualityOf(set, size === 'smoke' ? SMOKE_QUERIES : Infinity));

/** @param most queries of each kind that are asked */
async function qualityOf({ index, embedder, turns }, most) {
  const set = labelledSet();
  const [queries, names] = [set.queries, set.names].map((all) => all.slice(0, most));
  const scores = await scored(index, embedder, [...queries, ...names], turns);
  const of = (mode, chosen) => mean(chosen.map(({ text }) => scores.get(text)[mode]));
  const row = (name, chosen, isGood) => {
    const [hybrid, lexical, vector] = ['hybrid', 'lexical', 'vector'].map((mode) => of(mode, chosen));
    return {
      name: `nDCG@10, ${chosen.length} ${name}`,
      measured: `hybrid ${hybrid.toFixed(3)}`,
      baseline: `words ${lexical.toFixed(3)}, meaning ${vector.toFixed(3)}`,
      ratio: `${(hybrid / Math.max(lexical, vector)).toFixed(2)} ×`,
      target: isGood === above ? 'above both' : '≥ 0.95 × words',
      met: isGood(hybrid, lexical, vector),
    };
  };
  const above = (hybrid, lexical, vector) => hybrid > Math.max(lexical, vector);
  const asGood = (hybrid, lexical) => hybrid >= 0.95 * lexical;
  const heldOut = queries.filter(({ isHeldOut }) => isHeldOut);
  return [row('questions by meaning', queries, above), row('of them not tuned on', heldOut, above), row('names and words as said', names, asGood)];
}

async function scored(index, embedder, queries, turns) {
  const scores = new Map();
  for (const { text, grades } of queries) {
    const [embedding] = await embedder.embed({ texts: [text], purpose: 'query', signal });
    const score = {};
    for (const mode of ['hybrid', 'lexical', 'vector']) {
      const { hits } = await index.search({ accountId, text, embedding, mode, limit: 20 });
      score[mode] = ndcg(hits.map(({ jobId, passageId }) => turns.get(`${jobId} ${passageId}`)), grades);
    }
    scores.set(text, score);
  }
  return scores;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
