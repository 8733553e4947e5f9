import { answeredChatQuestions, callsSet, labelledSet, ndcg } from '../search-quality/labelled-set.mjs';
import { withIndexedSet, withIndexedSetOnOpenSearch } from '../search-quality/indexed-set.mjs';

const SMOKE_QUERIES = 10;
const accountId = 'bench';
const signal = new AbortController().signal;

/** nDCG@10 of the embedded index with the built-in embeddings, on the labelled sets: by words, by meaning, by both. */
export const searchQuality = () => qualityOf(withIndexedSet, Infinity);

/** The same of OpenSearch. */
export const clusterSearchQuality = (size) => qualityOf(withIndexedSetOnOpenSearch, size === 'smoke' ? SMOKE_QUERIES : Infinity);

/** @param most the maximum number of queries of each kind */
async function qualityOf(withSet, most) {
  const { queries, names } = labelledSet();
  const calls = callsSet();
  const [byMeaning, spoken, inCalls, said] = [queries, answeredChatQuestions(), calls.queries, names].map((all) => all.slice(0, most));
  const conversations = await withSet((set) => scored(set, [...byMeaning, ...spoken, ...said]));
  const callScores = await withSet((set) => scored(set, inCalls), calls);
  return [
    ...rows('questions by meaning', byMeaning, conversations),
    ...rows('whole questions', spoken, conversations),
    ...rows('whole questions to 20 calls', inCalls, callScores),
    row('names and words as said', said, conversations),
  ];
}

/** All, and the half that nothing was tuned on. */
const rows = (name, queries, scores) => [row(name, queries, scores), row(`${name}, held out`, queries.filter(({ isHeldOut }) => isHeldOut), scores)];

function row(name, queries, scores) {
  const [hybrid, lexical, vector] = ['hybrid', 'lexical', 'vector'].map((mode) => mean(queries.map(({ text }) => scores.get(text)[mode])));
  const better = Math.max(lexical, vector);
  return {
    name: `nDCG@10, ${queries.length} ${name}`,
    measured: `hybrid ${hybrid.toFixed(3)}`,
    baseline: `words ${lexical.toFixed(3)}, meaning ${vector.toFixed(3)}`,
    ratio: `${(hybrid / better).toFixed(2)} ×`,
    target: '≥ both',
    met: hybrid >= better,
  };
}

async function scored({ index, embedder, turns }, queries) {
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
