import { Inject, Injectable } from '@nestjs/common';
import { limitReached, notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { jsonBytes, type DocumentCollection, type DocumentDatabase, type Page } from '@parlance/storage';
import { CONVERSATION_SOURCES, CONVERSATIONS, type ConversationDocument, type ConversationSource, type StoredTurn } from './conversation.js';

export interface ConversationRef {
  accountId: string;
  conversationId: string;
  /** It must be about this job; undefined: any. */
  jobId?: string | undefined;
  /** It must be of this project; undefined: of any. */
  projectId?: string | undefined;
}

interface ConversationQuery {
  accountId: string;
  /** Undefined: of all jobs, and those across transcripts. */
  jobId?: string | undefined;
  /** Undefined: of all projects. */
  projectId?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

const MAX_TURNS = 200;
/** Bytes of the conversations of an account. */
const MAX_BYTES = 64 * 1024 ** 2;

/** Questions and answers. A conversation is kept until it is deleted, or a job whose words it contains is deleted. */
@Injectable()
export class Conversations {
  private readonly conversations: DocumentCollection<ConversationDocument>;
  private readonly sources: DocumentCollection<ConversationSource>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.conversations = documents.collection(CONVERSATIONS);
    this.sources = documents.collection(CONVERSATION_SOURCES);
  }

  /** @throws AppError not_found */
  async get({ accountId, conversationId, jobId, projectId }: ConversationRef): Promise<ConversationDocument> {
    const found = (await this.conversations.get(conversationId))?.document;
    const fits = (asked: string | undefined, own: string | undefined) => asked === undefined || asked === own;
    if (found?.accountId !== accountId || !fits(jobId, found.jobId) || !fits(projectId, found.projectId)) throw notFound('The conversation');
    return found;
  }

  /** The account's, newest first. */
  async list({ accountId, jobId, projectId, limit, cursor }: ConversationQuery): Promise<Page<ConversationDocument>> {
    return this.conversations.find({ where: { accountId, jobId, projectId }, limit, ...(cursor !== undefined && { cursor }) });
  }

  async storageOf(accountId: string): Promise<{ usedBytes: number; limitBytes: number }> {
    return { usedBytes: await this.conversations.sum('bytes', { accountId }), limitBytes: MAX_BYTES };
  }

  /** Before a question is answered. @throws AppError invalid_state; questions at the same time may pass the limit by as many as they are */
  async requireRoom(accountId: string): Promise<void> {
    const { usedBytes, limitBytes } = await this.storageOf(accountId);
    if (usedBytes >= limitBytes) throw limitReached(`The conversations of the account take up ${limitBytes} bytes, which is the maximum; delete those that are no longer needed.`);
  }

  /**
   * Adds a turn; the first one makes the conversation. @param jobIds whose words it was answered by
   * @throws AppError not_found when it was deleted meanwhile
   */
  async append({ accountId, conversationId, jobId, projectId }: ConversationRef, isNew: boolean, turn: StoredTurn, jobIds: readonly string[]): Promise<void> {
    const { createdAt } = turn;
    // Stored before the words themselves, since an erasure finds conversations by their sources.
    for (const source of new Set(jobIds)) {
      const id = `${conversationId}.${source}`;
      await this.sources.update(id, (current) => (current ? undefined : { document: { id, createdAt, jobId: source, conversationId } }));
    }
    await this.conversations.update(conversationId, (current) => {
      if (!current && !isNew) throw notFound('The conversation');
      const document = current ?? { id: conversationId, createdAt, accountId, ...(jobId !== undefined && { jobId }), ...(projectId !== undefined && { projectId }), turns: [] };
      if (document.turns.length >= MAX_TURNS) throw fullConversation();
      const turns = [...document.turns, turn];
      return { document: { ...document, turns, bytes: jsonBytes(turns) } };
    });
  }

  async remove(conversationId: string): Promise<void> {
    await this.conversations.remove(conversationId);
    await this.sources.removeWhere({ conversationId });
  }

  /** Removes all conversations with words of the job. */
  async removeOfJob(jobId: string): Promise<void> {
    for await (const { document } of this.sources.all({ where: { jobId } })) await this.remove(document.conversationId);
  }

  /** Removes what the account's conversations quote; they themselves stay. */
  async removeSourcesOf(accountId: string): Promise<void> {
    for await (const { document } of this.conversations.all({ where: { accountId } })) await this.sources.removeWhere({ conversationId: document.id });
  }

  countOfJob(jobId: string): Promise<number> {
    return this.sources.count({ jobId });
  }

  now(): string {
    return this.clock.now().toISOString();
  }
}

const fullConversation = () => limitReached(`The conversation has ${MAX_TURNS} answers, which is the maximum; start a new one.`);
