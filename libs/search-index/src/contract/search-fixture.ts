import type { IndexedJob, Passage, SearchHit, SearchIndex, SearchPage, SearchQuery } from '../search-index.js';
import { CONTRACT_DIMENSIONS, type SearchIndexUnderTest } from './search-index-under-test.js';

export class SearchFixture {
  private underTest: SearchIndexUnderTest | undefined;
  private current: SearchIndex | undefined;

  constructor(private readonly open: () => Promise<SearchIndexUnderTest>) {}

  async setUp(): Promise<void> {
    this.underTest = await this.open();
    this.current = this.underTest.index;
  }

  async tearDown(): Promise<void> {
    await this.opened.dispose();
  }

  get opened(): SearchIndexUnderTest {
    if (!this.underTest) throw new Error('the index is not open');
    return this.underTest;
  }

  get index(): SearchIndex {
    if (!this.current) throw new Error('the index is not open');
    return this.current;
  }

  async reopen(): Promise<void> {
    this.current = await this.opened.reopen();
  }

  /** Puts a job of the account `acc` with these texts, or passages, in order. */
  async put(jobId: string, texts: readonly (string | Partial<Passage>)[], job: Partial<IndexedJob> = {}): Promise<boolean> {
    return this.index.put(aJob(jobId, texts, job));
  }

  async search(query: string | Partial<SearchQuery>): Promise<SearchPage> {
    await this.opened.settle();
    return this.index.search({ accountId: 'acc', text: '', ...(typeof query === 'string' ? { text: query } : query) });
  }

  /** `job/passage` of what is found, the best first. */
  async found(query: string | Partial<SearchQuery>): Promise<string[]> {
    return (await this.search(query)).hits.map(keyOf);
  }
}

export const keyOf = ({ jobId, passageId }: SearchHit): string => `${jobId}/${passageId}`;

export const aJob = (jobId: string, texts: readonly (string | Partial<Passage>)[], job: Partial<IndexedJob> = {}): IndexedJob => ({
  accountId: 'acc',
  jobId,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  duration: 60,
  passages: texts.map((text, index) => aPassage(`p${index + 1}`, index * 10, typeof text === 'string' ? { text } : text)),
  ...job,
});

const aPassage = (id: string, start: number, passage: Partial<Passage>): Passage => ({ id, language: 'en', start, end: start + 10, text: '', ...passage });

/** A direction between two axes; 0 is the first one, 1 the second. */
export function direction(between: number, axes: readonly [number, number] = [0, 1]): Float32Array {
  const vector = new Float32Array(CONTRACT_DIMENSIONS);
  vector[axes[0]] = Math.cos((between * Math.PI) / 2);
  vector[axes[1]] = Math.sin((between * Math.PI) / 2);
  return vector;
}

/** The marked parts of a hit. */
export const marked = ({ snippet }: SearchHit): string[] => snippet.marks.map(([from, before]) => snippet.text.slice(from, before));
