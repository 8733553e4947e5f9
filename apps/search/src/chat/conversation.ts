import type { CollectionDefinition, Document } from '@parlance/storage';

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
  /** undefined: across transcripts. */
  jobId?: string;
  /** The oldest first. */
  turns: StoredTurn[];
}

export const CONVERSATIONS: CollectionDefinition<ConversationDocument> = { name: 'conversations', indexes: [] };

/** That a conversation was given words of a job, so that it goes when the job goes. */
export interface ConversationSource extends Document {
  jobId: string;
  conversationId: string;
}

export const CONVERSATION_SOURCES: CollectionDefinition<ConversationSource> = { name: 'conversation_sources', indexes: [{ fields: ['jobId'] }, { fields: ['conversationId'] }] };
