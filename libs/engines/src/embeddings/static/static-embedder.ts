import { setImmediate } from 'node:timers/promises';
import { keepSuccess } from '@parlance/platform';
import { canceledEmbedding } from '../embedding-errors.js';
import type { EmbeddingModelInfo, EmbeddingRequest, TextEmbedder } from '../text-embedder.js';
import { readEmbeddingTable, type EmbeddingTable } from './embedding-table.js';
import { WordPieces, type PiecedWord } from './word-pieces.js';

/** Changes with the table, so that an index knows vectors of another one. */
export const STATIC_MODEL = 'static-english-256-v1';
export const STATIC_DIMENSIONS = 256;

/** Texts between two looks at other work: 64 passages take about 2 ms. */
const TEXTS_AT_ONCE = 64;
const HAS_LETTER = /\p{L}/u;

interface Loaded {
  table: EmbeddingTable;
  words: WordPieces;
}

/**
 * English, offline, without a network to run: the weighted mean of one vector a word piece, distilled from all-MiniLM-L6-v2
 * in the manner of Model2Vec (van Dongen and Tulkens 2024). The table (8 MB) is read by the first call.
 */
export class StaticEmbedder implements TextEmbedder {
  readonly info: EmbeddingModelInfo = { name: STATIC_MODEL, dimensions: STATIC_DIMENSIONS, languages: ['en'], maxTokens: 8192, maxBatch: 512 };
  #loaded = keepSuccess(() => this.#load());

  /** @param path of another table of the same name; default the one that is shipped */
  constructor(private readonly path?: string) {}

  async embed({ texts, signal }: EmbeddingRequest): Promise<(Float32Array | undefined)[]> {
    const { table, words } = await this.#loaded();
    const vectors: (Float32Array | undefined)[] = [];
    for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
      if (signal.aborted) throw canceledEmbedding(signal);
      for (const text of texts.slice(from, from + TEXTS_AT_ONCE)) vectors.push(meanVector(table, words.split(text)));
      await setImmediate();
    }
    return vectors;
  }

  async close(): Promise<void> {
    this.#loaded = keepSuccess(() => this.#load());
  }

  async #load(): Promise<Loaded> {
    const table = await readEmbeddingTable(this.path);
    return { table, words: new WordPieces(table.vocabulary) };
  }
}

/** Of length 1; undefined without a word that is known. */
function meanVector({ dimensions, scales, vectors }: EmbeddingTable, words: readonly PiecedWord[]): Float32Array | undefined {
  if (!words.some(({ word, pieces }) => pieces.length > 0 && HAS_LETTER.test(word))) return undefined;
  const sum = new Float32Array(dimensions);
  for (const { pieces } of words) {
    for (const row of pieces) {
      const scale = scales[row] as number;
      const at = row * dimensions;
      for (let index = 0; index < dimensions; index += 1) sum[index] = (sum[index] as number) + scale * (vectors[at + index] as number);
    }
  }
  const norm = Math.hypot(...sum);
  return norm > 0 ? sum.map((value) => value / norm) : undefined;
}
