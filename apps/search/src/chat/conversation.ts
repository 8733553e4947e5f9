import { type CollectionDefinition, type Document } from '@parlance/storage';

export interface StoredCitation {
  jobId: string;
  segmentId: string;
  start: number;
  end: number;
  quote: string;
}

export interface StoredTurn {
  message: string;
  answer: string;
  citations: StoredCitation[];
  grounded: boolean;
  engine: string;
  createdAt: string;
}

export interface ConversationDocument extends Document {
  accountId: string;
  /** The job that the conversation is about; undefined: any transcripts of the account. */
  jobId?: string;
  /** The project of the key that began it. */
  projectId?: string;
  /** The oldest first. */
  turns: StoredTurn[];
  /** The size of the turns as JSON. */
  bytes: number;
}

export const CONVERSATIONS: CollectionDefinition<ConversationDocument> = {
  name: 'conversations',
  data: { what: 'questions and answers about recordings', purpose: 'to answer questions from transcripts', kept: 'with the job; across jobs until it is deleted', recipients: 'the language model: `LANGUAGE_MODEL_URL`; the embedding engine: `EMBEDDINGS_ENGINE_URL`' },
  account: 'accountId',
  indexes: [{ fields: ['accountId'] }, { fields: ['accountId', 'jobId'] }, { fields: ['accountId', 'projectId'] }, { fields: ['accountId'], orderBy: 'bytes' }],
  sealed: { fields: ['turns'], owner: ({ accountId, jobId = '' }) => ({ accountId, holder: jobId }) },
};

/** Records that a conversation contains words of a job, so that it is erased with the job. */
export interface ConversationSource extends Document {
  jobId: string;
  conversationId: string;
}

export const CONVERSATION_SOURCES: CollectionDefinition<ConversationSource> = {
  name: 'conversation_sources',
  data: { what: 'which jobs a conversation quotes', purpose: 'to remove quotations with their job', kept: 'with the job' },
  indexes: [{ fields: ['jobId'] }, { fields: ['conversationId'] }],
};
