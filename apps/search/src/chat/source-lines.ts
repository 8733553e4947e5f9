import type { LanguageModel } from '@parlance/engines';
import { toAppError } from '@parlance/platform';
import type { SearchFilters, SearchHit } from '@parlance/search-index';
import type { TranscriptSource } from '../indexing/transcript-source.js';
import type { TranscriptSearch } from '../searching/transcript-search.js';
import { numbered, type SourceLine } from './chat-engine.js';

export interface ChatScope {
  accountId: string;
  /** One transcript; undefined: all that match the filters. */
  jobId?: string | undefined;
  filters: SearchFilters;
}

const PASSAGES = 12;
/** Transcripts that are read for one answer. */
const MAX_JOBS = 5;
/** Segments before and after a passage: the question to an answer, the answer to a question. */
const AROUND = 2;

type CountTokens = LanguageModel['countTokens'];

/** Finds the lines that an answer may be based on: the passages that match, read from the present transcripts. */
export class SourceLines {
  constructor(
    private readonly search: TranscriptSearch,
    private readonly source: TranscriptSource,
    private readonly countTokens: CountTokens,
  ) {}

  /** @param room tokens within which one transcript is given whole; undefined: never @throws AppError not_found when the one transcript is gone */
  async find(question: string, scope: ChatScope, room: number | undefined, signal: AbortSignal): Promise<SourceLine[]> {
    const { accountId, jobId } = scope;
    if (jobId !== undefined && room !== undefined) {
      const whole = await this.whole({ accountId, jobId }, room, signal);
      if (whole) return whole;
    }
    const filters = jobId === undefined ? scope.filters : { ...scope.filters, jobIds: [jobId] };
    const { hits } = await this.search.search({ accountId, text: question, mode: 'hybrid', filters, limit: PASSAGES });
    const jobs = [...Map.groupBy(hits, (hit) => hit.jobId)].slice(0, MAX_JOBS);
    const found = await Promise.all(jobs.map(([id, ofJob]) => this.around({ accountId, jobId: id }, hits, ofJob, signal)));
    return found.flat().toSorted((a, b) => a.passage - b.passage || a.start - b.start);
  }

  private async whole(ref: { accountId: string; jobId: string }, room: number, signal: AbortSignal): Promise<SourceLine[] | undefined> {
    const lines: SourceLine[] = [];
    let tokens = 0;
    for await (const line of this.linesOf(ref, signal)) {
      tokens += this.countTokens(numbered(line));
      if (tokens > room) return undefined;
      lines.push(line);
    }
    return lines;
  }

  /** Each segment is given once, with the best passage that contains it or is next to it. */
  private async around(ref: { accountId: string; jobId: string }, hits: readonly SearchHit[], ofJob: readonly SearchHit[], signal: AbortSignal): Promise<SourceLine[]> {
    const lines: SourceLine[] = [];
    try {
      for await (const line of this.linesOf(ref, signal)) lines.push(line);
    } catch (error) {
      // Deleted since it was found.
      if (toAppError(error).kind === 'not_found') return [];
      throw error;
    }
    const passageOf = new Map<number, number>();
    for (const hit of ofJob) {
      const within = lines.flatMap(({ start, end }, index) => (start < hit.end && end > hit.start ? [index] : []));
      const [first = 0, last = -1] = [within[0], within.at(-1)];
      for (let index = first - AROUND; index <= last + AROUND; index += 1) if (!passageOf.has(index)) passageOf.set(index, hits.indexOf(hit));
    }
    return lines.flatMap((line, index) => (passageOf.has(index) ? [{ ...line, passage: passageOf.get(index) as number }] : []));
  }

  private async *linesOf(ref: { accountId: string; jobId: string }, signal: AbortSignal): AsyncGenerator<SourceLine> {
    const { header, segments } = await this.source.open(ref, signal);
    const names = new Map(header.speakers.map(({ speakerId, name }) => [speakerId, name]));
    for await (const { segmentId, start, end, speakerId, text } of segments) {
      if (text.trim() === '') continue;
      const speaker = speakerId === undefined ? undefined : names.get(speakerId);
      yield { jobId: ref.jobId, segmentId, start, end, text, language: header.language, passage: 0, ...(speakerId !== undefined && { speakerId }), ...(speaker !== undefined && { speaker }) };
    }
  }
}
