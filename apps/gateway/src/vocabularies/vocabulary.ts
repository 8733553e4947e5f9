import type { CollectionDefinition, Document } from '@parlance/storage';

/** A term, with spellings that recognisers write when they mishear it. */
export interface VocabularyPhrase {
  phrase: string;
  soundsLike: string[];
}

/** A list of terms that an account saved under an id, for its jobs. */
export interface Vocabulary extends Document {
  accountId: string;
  name: string;
  phrases: VocabularyPhrase[];
  /** From 1; one more with each change. */
  version: number;
  updatedAt: string;
}

export const vocabularyCollection: CollectionDefinition<Vocabulary> = { name: 'vocabularies', indexes: [{ fields: ['accountId'] }] };
