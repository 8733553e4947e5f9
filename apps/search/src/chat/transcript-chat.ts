import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, toAppError, type IdGenerator, type Logger } from '@parlance/platform';
import { CONFIG, ID_GENERATOR, LOGGER } from '@parlance/runtime';
import { QuoteFinder } from '@parlance/text-analysis';
import { SearchLedger } from '../indexing/search-ledger.js';
import type { SearchConfig } from '../search.config.js';
import type { ChatEngine, SourceLine } from './chat-engine.js';
import { CHAT_ENGINE } from './chat-engine.provider.js';
import type { StoredCitation, StoredTurn } from './conversation.js';
import { Conversations, type ConversationRef } from './conversations.js';
import { SourceLines, type ChatScope } from './source-lines.js';

export interface ChatRequest extends ChatScope {
  message: string;
  conversationId?: string | undefined;
  /** The project of the key that asks. */
  projectId?: string | undefined;
}

export type ChatResponse = { type: 'delta'; text: string } | { type: 'done'; conversationId: string; turn: StoredTurn };

/** Answers questions from transcripts, stores the conversation, and checks each citation against its transcript. */
@Injectable()
export class TranscriptChat {
  constructor(
    @Inject(CHAT_ENGINE) private readonly engine: ChatEngine,
    @Inject(SourceLines) private readonly sources: SourceLines,
    @Inject(Conversations) private readonly conversations: Conversations,
    @Inject(SearchLedger) private readonly ledger: SearchLedger,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(CONFIG) private readonly config: SearchConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** An answer is not stored when the client has disconnected. @throws AppError not_found, invalid_state, engine_failed, engine_timeout, engine_rate_limited, engine_refused */
  async *ask({ message, conversationId, projectId, ...scope }: ChatRequest, canceled: AbortSignal): AsyncGenerator<ChatResponse> {
    const { engine, sources, conversations, ids, log } = this;
    await conversations.requireRoom(scope.accountId);
    const signal = AbortSignal.any([canceled, AbortSignal.timeout(this.config.CHAT_TIMEOUT_SECONDS * 1000)]);
    const history = conversationId === undefined ? [] : await this.turnsOf({ accountId: scope.accountId, conversationId, jobId: scope.jobId, projectId });
    const room = await engine.roomForLines(message, history);
    const lines = await sources.find(await this.question(message, history, signal), scope, room, signal);
    let answer = '';
    let cited: readonly SourceLine[] = [];
    for await (const event of engine.answer({ message, history, lines, signal })) {
      if (event.type === 'end') {
        cited = event.cited;
      } else {
        answer += event.text;
        yield event;
      }
    }
    const citations = cited.flatMap((line) => citationOf(line, lines));
    const turn = { message, answer, citations, grounded: citations.length > 0, engine: engine.name, createdAt: conversations.now() };
    const ref = { accountId: scope.accountId, conversationId: conversationId ?? ids.next('cht'), jobId: scope.jobId, projectId };
    await this.keep(ref, conversationId === undefined, turn, [...lines.map(({ jobId }) => jobId), ...(scope.jobId === undefined ? [] : [scope.jobId])]);
    log.info({ account_id: scope.accountId, ...(scope.jobId !== undefined && { job_id: scope.jobId }), engine: engine.name, grounded: turn.grounded, citations: citations.length }, 'question answered');
    yield { type: 'done', conversationId: ref.conversationId, turn };
  }

  /** A conversation keeps its scope: one job, or all transcripts. */
  private async turnsOf(ref: ConversationRef): Promise<StoredTurn[]> {
    const found = await this.conversations.get(ref);
    if (found.jobId !== ref.jobId) throw notFound('The conversation');
    return found.turns;
  }

  /** The message itself is searched for when the engine cannot reword it. */
  private async question(message: string, history: readonly StoredTurn[], signal: AbortSignal): Promise<string> {
    try {
      return await this.engine.standalone(message, history, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.log.warn({ code: toAppError(error).code }, 'question not rewritten; searching for it unchanged');
      return message;
    }
  }

  /** The erasure writes its tombstone, then removes; this writes, then looks: one of the two sees the other. */
  private async keep(ref: ConversationRef, isNew: boolean, turn: StoredTurn, jobIds: readonly string[]): Promise<void> {
    const { conversations, ledger } = this;
    const touched = [...new Set(jobIds)];
    await conversations.append(ref, isNew, turn, touched);
    const gone = await Promise.all(touched.map((jobId) => ledger.isErased(jobId)));
    if (!gone.includes(true)) return;
    await conversations.remove(ref.conversationId);
    throw new AppError({ kind: 'not_found', code: 'not_found', message: 'A transcript was deleted while it was read.', retryable: true });
  }
}

/** The line as evidence, if its words are in its transcript. */
function citationOf({ jobId, segmentId, text }: SourceLine, lines: readonly SourceLine[]): StoredCitation[] {
  const found = new QuoteFinder(lines.filter((line) => line.jobId === jobId).toSorted((a, b) => a.start - b.start)).find(text.slice(0, 1000).trimEnd(), segmentId);
  return found ? [{ jobId, ...found }] : [];
}
