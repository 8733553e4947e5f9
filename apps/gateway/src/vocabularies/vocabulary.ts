import { type CollectionDefinition, type Document, ownerOfAccount } from '@parlance/storage';

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

export const vocabularyCollection: CollectionDefinition<Vocabulary> = {
  name: 'vocabularies',
  data: { what: 'terms that an account expects, such as names', purpose: 'better recognition', kept: 'with the account' },
  account: 'accountId',
  indexes: [{ fields: ['accountId'] }],
  sealed: { fields: ['name', 'phrases'], owner: ownerOfAccount },
};
