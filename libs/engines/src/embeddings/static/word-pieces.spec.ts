import { describe, expect, it } from '@jest/globals';
import { BERT_PIECES } from './bert-pieces.js';
import { readEmbeddingTable } from './embedding-table.js';
import { WordPieces } from './word-pieces.js';

const { vocabulary } = await readEmbeddingTable();
const words = new WordPieces(vocabulary);

describe('WordPieces', () => {
  it.each(BERT_PIECES)('splits %j as the model’s own tokenizer', (text, pieces) => {
    expect(words.split(text).flatMap((word) => word.pieces.map((row) => vocabulary[row])).join(' ')).toBe(pieces);
  });

  it('spells nothing of scripts that the vocabulary does not have', () => {
    expect(words.split('Привет мир שלום مرحبا 東京').flatMap(({ pieces }) => pieces)).toEqual([]);
  });
});
