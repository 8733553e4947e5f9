import { setImmediate } from 'node:timers/promises';
import { keepSuccess } from '@parlance/platform/async';
import { canceledEmbedding } from '../embedding-errors.js';
import type { EmbeddingModelInfo, EmbeddingRequest, TextEmbedder } from '../text-embedder.js';
import { readEmbeddingTable, type EmbeddingTable } from './embedding-table.js';
import { WordPieces, type PiecedWord } from './word-pieces.js';

/** Changes with the table, so that an index knows vectors of another one. */
const STATIC_MODEL = 'static-english-256-v1';
const STATIC_DIMENSIONS = 256;

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
    const { dimensions } = table;
    // One piece of memory for all: thousands of a kilobyte each leave it in shreds that do not go back to the system.
    const memory = new Float32Array(texts.length * dimensions);
    const vectors: (Float32Array | undefined)[] = [];
    for (let from = 0; from < texts.length; from += TEXTS_AT_ONCE) {
      if (signal.aborted) throw canceledEmbedding(signal);
      for (const text of texts.slice(from, from + TEXTS_AT_ONCE)) {
        const vector = memory.subarray(vectors.length * dimensions, (vectors.length + 1) * dimensions);
        vectors.push(hasMean(table, words.split(text), vector) ? vector : undefined);
      }
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

/** Makes `vector`, which is all zeros, one of length 1. @returns false without a word that is known */
function hasMean({ dimensions, scales, vectors }: EmbeddingTable, words: readonly PiecedWord[], vector: Float32Array): boolean {
  if (!words.some(({ word, pieces }) => pieces.length > 0 && HAS_LETTER.test(word))) return false;
  for (const { pieces } of words) {
    for (const row of pieces) {
      const scale = scales[row] as number;
      const at = row * dimensions;
      for (let index = 0; index < dimensions; index += 1) vector[index] = (vector[index] as number) + scale * (vectors[at + index] as number);
    }
  }
  const norm = Math.hypot(...vector);
  for (let index = 0; index < dimensions; index += 1) vector[index] = (vector[index] as number) / norm;
  return norm > 0;
}
