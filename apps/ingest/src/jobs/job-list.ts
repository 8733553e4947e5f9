import { encodeCursor, type Query } from '@parlance/storage';
import type { JobStore } from './state/job-store.js';
import { jobCollection, type Job } from './state/job.js';
import { searchWords } from './state/name-words.js';

/** A file is every job but that of a live session. */
export type JobKind = 'file' | 'live';

export interface JobFilter {
  /** In any of these; empty: in any state. */
  statuses: readonly Job['status'][];
  /** The oldest first. */
  ascending: boolean;
  /** Inclusive, RFC 3339. */
  createdAfter?: string | undefined;
  /** Exclusive, RFC 3339. */
  createdBefore?: string | undefined;
  metadata: Readonly<Record<string, string>>;
  /** Each of its words begins a word of the job's name; empty: any name. */
  text: string;
  /** The batch of the jobs. */
  batchId?: string | undefined;
  /** The project of the jobs. */
  projectId?: string | undefined;
  kind?: JobKind | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface JobPage {
  jobs: Job[];
  nextCursor: string | null;
}

type Jobs = Pick<JobStore, 'find'>;

/** @throws AppError invalid_cursor */
export async function listJobs(jobs: Jobs, accountId: string, filter: JobFilter): Promise<JobPage> {
  const { statuses, ascending, createdAfter: gte, createdBefore: lt, metadata, batchId, projectId, kind, text, limit, cursor } = filter;
  const pairs = Object.entries(metadata).map(([key, value]) => [`metadata.${key}`, value]);
  const query: Query = {
    where: { accountId, batchId, projectId, ...Object.fromEntries(pairs), ...(text !== '' && { 'nameWords[]': searchWords(text).join(' ') }) },
    direction: ascending ? 'ascending' : 'descending',
    limit,
    ...(cursor !== undefined && { cursor }),
    ...((gte ?? lt) !== undefined && { range: { field: 'createdAt', ...(gte !== undefined && { gte }), ...(lt !== undefined && { lt }) } }),
  };
  const find = (status?: Job['status']): Promise<JobPage> => findKind(jobs, { ...query, where: { ...query.where, status } }, kind);
  const pages = await Promise.all((statuses.length > 0 ? statuses : [undefined]).map(find));
  return mergedPage(pages, query, limit);
}

const findKind = (jobs: Jobs, query: Query, kind: JobKind | undefined): Promise<JobPage> =>
  kind === 'file' ? findFiles(jobs, query) : jobs.find({ ...query, where: { ...query.where, kind } });

/** Jobs that are read at once where the first page had too many live ones. */
const READ = 200;

/** Files have no kind, as jobs of the versions before: no index finds them, so that live jobs are read and left out. */
async function findFiles(jobs: Jobs, { direction = 'descending', limit = READ, ...query }: Query): Promise<JobPage> {
  const files: Job[] = [];
  let { cursor } = query;
  let size = limit + 1;
  do {
    const page = await jobs.find({ ...query, direction, limit: size, ...(cursor !== undefined && { cursor }) });
    files.push(...page.jobs.filter(({ kind }) => kind !== 'live'));
    cursor = page.nextCursor ?? undefined;
    size = READ;
  } while (cursor !== undefined && files.length <= limit);
  const shown = files.slice(0, limit);
  const last = shown.at(-1);
  return { jobs: shown, nextCursor: last && files.length > limit ? cursorAt(last, direction) : null };
}

/** One page out of those of several queries that differ in what they select. A position in one is a position in all of them. */
function mergedPage(pages: readonly JobPage[], { direction = 'descending' }: Query, limit: number): JobPage {
  const [only] = pages;
  if (only && pages.length === 1) return only;
  const sign = direction === 'ascending' ? 1 : -1;
  const all = pages.flatMap(({ jobs }) => jobs).toSorted((one, other) => sign * compare(one, other));
  const jobs = all.slice(0, limit);
  const last = jobs.at(-1);
  const hasMore = all.length > limit || pages.some(({ nextCursor }) => nextCursor !== null);
  return { jobs, nextCursor: last && hasMore ? cursorAt(last, direction) : null };
}

const cursorAt = ({ createdAt: value, id }: Job, direction: 'ascending' | 'descending'): string => encodeCursor({ collection: jobCollection.name, orderBy: 'createdAt', direction }, { value, id });

const compare = (one: Job, other: Job): number => {
  const [a, b] = one.createdAt === other.createdAt ? [one.id, other.id] : [one.createdAt, other.createdAt];
  return a < b ? -1 : Number(a > b);
};
