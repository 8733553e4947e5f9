import { AppError, notFound, toAppError, type IdGenerator, type Logger } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import { QuoteFinder } from '@parlance/text-analysis';
import type { ChatEngine, SourceLine } from './chat-engine.js';
import type { StoredCitation, StoredTurn } from './conversation.js';
import type { Conversations, ConversationRef } from './conversations.js';
import type { ChatScope, SourceLines } from './source-lines.js';

export interface ChatRequest extends ChatScope {
  message: string;
  conversationId?: string | undefined;
}

export type ChatResponse = { type: 'delta'; text: string } | { type: 'done'; conversationId: string; turn: StoredTurn };

export interface TranscriptChatParts {
  engine: ChatEngine;
  lines: SourceLines;
  conversations: Conversations;
  erasures: JobErasures;
  ids: IdGenerator;
  timeoutMs: number;
  log: Logger;
}

/** Answers questions by what was said, keeps the conversation, and checks each citation against the transcript. */
export class TranscriptChat {
  constructor(private readonly parts: TranscriptChatParts) {}

  /** An answer that nobody waits for any more is not kept. @throws AppError not_found, engine_failed, engine_timeout, engine_rate_limited, engine_refused */
  async *ask({ message, conversationId, ...scope }: ChatRequest, canceled: AbortSignal): AsyncGenerator<ChatResponse> {
    const { engine, lines: sources, conversations, ids, timeoutMs, log } = this.parts;
    const signal = AbortSignal.any([canceled, AbortSignal.timeout(timeoutMs)]);
    const history = conversationId === undefined ? [] : await this.turnsOf({ accountId: scope.accountId, conversationId, jobId: scope.jobId });
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
    const ref = { accountId: scope.accountId, conversationId: conversationId ?? ids.next('cht'), jobId: scope.jobId };
    await this.keep(ref, conversationId === undefined, turn, [...lines.map(({ jobId }) => jobId), ...(scope.jobId === undefined ? [] : [scope.jobId])]);
    log.info({ account_id: scope.accountId, ...(scope.jobId !== undefined && { job_id: scope.jobId }), engine: engine.name, grounded: turn.grounded, citations: citations.length }, 'question answered');
    yield { type: 'done', conversationId: ref.conversationId, turn };
  }

  /** A conversation about one job goes on about that one only, and one across transcripts across them. */
  private async turnsOf(ref: ConversationRef): Promise<StoredTurn[]> {
    const found = await this.parts.conversations.get(ref);
    if (found.jobId !== ref.jobId) throw notFound('The conversation');
    return found.turns;
  }

  /** Searching for the message as it is does as well, where the engine cannot make more of it. */
  private async question(message: string, history: readonly StoredTurn[], signal: AbortSignal): Promise<string> {
    try {
      return await this.parts.engine.standalone(message, history, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.parts.log.warn({ code: toAppError(error).code }, 'the question was searched for as it is');
      return message;
    }
  }

  /** The erasure writes its tombstone, then removes; this writes, then looks: one of the two sees the other. */
  private async keep(ref: ConversationRef, isNew: boolean, turn: StoredTurn, jobIds: readonly string[]): Promise<void> {
    const { conversations, erasures } = this.parts;
    const touched = [...new Set(jobIds)];
    await conversations.append(ref, isNew, turn, touched);
    const gone = await Promise.all(touched.map((jobId) => erasures.has(jobId)));
    if (!gone.includes(true)) return;
    await conversations.remove(ref.conversationId);
    throw new AppError({ kind: 'not_found', code: 'not_found', message: 'A transcript was deleted while it was read.', retryable: true });
  }
}

/** The line as evidence, if its words are in its transcript: nobody is taken at his word. */
function citationOf({ jobId, segmentId, text }: SourceLine, lines: readonly SourceLine[]): StoredCitation[] {
  const found = new QuoteFinder(lines.filter((line) => line.jobId === jobId).toSorted((a, b) => a.start - b.start)).find(text.slice(0, 1000).trimEnd(), segmentId);
  return found ? [{ jobId, ...found }] : [];
}
