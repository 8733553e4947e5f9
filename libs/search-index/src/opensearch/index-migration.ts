import { AppError, silentLogger, type Logger } from '@parlance/platform';
import { serverError } from './opensearch-errors.js';
import { OpenSearchServer, WRITING } from './opensearch-server.js';
import { parseOpenSearchUrl, type OpenSearchUrl } from './opensearch-url.js';
import { indexName, MAPPING, marksAlias, marksIndex, passagesAlias, passagesIndex, type IndexMeta } from './passage-index.js';
import { removeWhere, runTask } from './passage-removal.js';
import type { JobMark } from './job-marks.js';

export interface MigrationReport {
  /** Indices that were made. */
  created: string[];
  /** The passages lie in an index of another mapping or other dimensions: `reindex` is needed before anything is written. */
  needsReindex: boolean;
}

export interface ReindexReport {
  from: string;
  to: string;
  passages: number;
}

export interface IndexCommandOptions {
  dimensions: number;
  password?: string | undefined;
  log?: Logger;
}

/** Checks with one attempt that the server answers, while the commands below wait. @throws ConfigError, AppError */
export const checkSearchServer = (url: string, options: IndexCommandOptions): Promise<void> => withMigration(url, options, (migration) => migration.checkServer());

/** For an operator's command. @throws ConfigError, AppError */
export const migrateSearchIndex = (url: string, options: IndexCommandOptions): Promise<MigrationReport> => withMigration(url, options, (migration) => migration.migrate());

/** For an operator's command. @param restart drops what an earlier, killed one left @throws ConfigError, AppError */
export const reindexSearchIndex = (url: string, { restart = false, ...options }: IndexCommandOptions & { restart?: boolean }): Promise<ReindexReport> =>
  withMigration(url, options, (migration) => migration.reindex(restart));

/** For an operator's command, or now and then: rewrites what holds deleted passages, which are only hidden until then. */
export const purgeSearchIndex = (url: string, options: IndexCommandOptions): Promise<void> => withMigration(url, options, (migration) => migration.purge());

async function withMigration<R>(url: string, { dimensions, password, log = silentLogger() }: IndexCommandOptions, work: (migration: IndexMigration) => Promise<R>): Promise<R> {
  const parsed = parseOpenSearchUrl(url);
  const server = new OpenSearchServer({ url: parsed, password, log });
  try {
    return await work(new IndexMigration(server, parsed, dimensions, log));
  } finally {
    await server.close();
  }
}

/** Clocks of those that write may differ by so much; milliseconds. */
const CLOCK_MARGIN = 10 * 60 * 1000;
/** Copies of what was written meanwhile, before writes wait for the last one. */
const CATCH_UPS = 2;
const NOT_FOUND = 404;
/** Milliseconds: it may rewrite the whole index. */
const PURGING = { tries: 0, request: 3_600_000 };

interface Described {
  aliases: Record<string, object>;
  mappings: { _meta?: IndexMeta };
}

/** Makes the indices, and brings passages into an index of a newer mapping while all is used. */
export class IndexMigration {
  private readonly alias: string;
  private readonly marks: string;

  constructor(
    private readonly server: OpenSearchServer,
    private readonly url: OpenSearchUrl,
    private readonly dimensions: number,
    private readonly log: Logger,
    private readonly now: () => number = Date.now,
  ) {
    this.alias = passagesAlias(url);
    this.marks = marksAlias(url);
  }

  checkServer(): Promise<void> {
    return this.server.check({ method: 'GET', path: `/${this.alias}`, accept: [NOT_FOUND] });
  }

  /** Makes what is missing; changes nothing that is there. */
  async migrate(): Promise<MigrationReport> {
    const created: string[] = [];
    if (!(await this.current(this.marks))) created.push(...(await this.create(this.marks, marksIndex(this.url))));
    if (!(await this.current(this.alias))) created.push(...(await this.create(this.alias, passagesIndex(this.url, this.dimensions))));
    const meta = (await this.current(this.alias))?.meta;
    return { created, needsReindex: meta?.mapping !== MAPPING || meta.dimensions !== this.dimensions };
  }

  /**
   * Copies all passages into a new index, which then replaces the old one. Searches continue throughout. Writes go to the old
   * index until the last, short copy; they wait for it and are then retried on the new one. Vectors of other dimensions are
   * left out until their jobs are written again.
   */
  async reindex(restart = false): Promise<ReindexReport> {
    const old = await this.current(this.alias);
    if (!old) throw new AppError({ kind: 'not_found', code: 'search_index_missing', message: 'There is no search index to copy: run "parlance-admin search migrate".' });
    const to = indexName(this.alias, Number(/-v(\d+)$/.exec(old.name)?.[1] ?? 0) + 1);
    if (restart) await this.abandon(old.name, to);
    const since = new Date(this.now() - CLOCK_MARGIN).toISOString();
    await this.createCopy(to);
    try {
      await this.copy(old, to, { match_all: {} });
      for (let round = 0; round < CATCH_UPS; round += 1) await this.copy(old, to, writtenSince(since));
      await this.server.call({ method: 'PUT', path: `/${old.name}/_block/write` }, WRITING);
      await this.copy(old, to, writtenSince(since));
      await this.removeOutdated(to, since);
      await this.server.call({ method: 'PUT', path: `/${to}/_settings`, body: { index: { refresh_interval: '1s' } } }, WRITING);
      await this.server.call({ method: 'POST', path: `/${to}/_refresh` }, WRITING);
      await this.swap(old.name, to);
    } catch (error) {
      await this.abandon(old.name, to);
      throw error;
    }
    await this.server.call({ method: 'DELETE', path: `/${old.name}`, accept: [NOT_FOUND] }, WRITING);
    const { count } = await this.server.call<{ count: number }>({ method: 'GET', path: `/${to}/_count` }, WRITING);
    this.log.info({ from: old.name, to, passages: count }, 'the search index was copied');
    return { from: old.name, to, passages: count };
  }

  /**
   * Purges documents that were deleted half a minute ago or longer: until then the server keeps them for replicas that were
   * unavailable.
   */
  async purge(): Promise<void> {
    await this.server.call({ method: 'POST', path: `/${this.alias}/_flush` }, WRITING);
    await this.server.call({ method: 'POST', path: `/${this.alias}/_forcemerge`, query: { only_expunge_deletes: true } }, PURGING);
    await this.server.call({ method: 'POST', path: `/${this.alias}/_refresh` }, WRITING);
  }

  private async current(alias: string): Promise<{ name: string; meta: IndexMeta | undefined } | undefined> {
    const answer = await this.server.call<Record<string, Described>>({ method: 'GET', path: `/${alias}`, accept: [NOT_FOUND] }, WRITING);
    const [found] = Object.entries(answer).filter(([, described]) => described?.aliases?.[alias]);
    if (!found) return undefined;
    const [name, { mappings: { _meta: meta } }] = found;
    return { name, meta };
  }

  /** Nothing when another process was faster. */
  private async create(alias: string, body: object): Promise<string[]> {
    const name = indexName(alias, 1);
    try {
      await this.server.call({ method: 'PUT', path: `/${name}`, body: { ...body, aliases: { [alias]: {} } } }, WRITING);
      return [name];
    } catch (error) {
      if (isThere(error)) return [];
      throw error;
    }
  }

  private async createCopy(to: string): Promise<void> {
    const { settings, mappings } = passagesIndex(this.url, this.dimensions);
    try {
      await this.server.call({ method: 'PUT', path: `/${to}`, body: { settings: { index: { ...settings.index, refresh_interval: '-1' } }, mappings } }, WRITING);
    } catch (error) {
      if (!isThere(error)) throw error;
      throw new AppError({ kind: 'conflict', code: 'reindex_in_progress', message: `${to} exists: another copy is running, or was killed. If none is running, request a restart.` });
    }
  }

  /** A document that is in both indexes keeps its higher version. */
  private async copy(old: { name: string; meta: IndexMeta | undefined }, to: string, query: object): Promise<void> {
    await this.server.call({ method: 'POST', path: `/${old.name}/_refresh` }, WRITING);
    const script = old.meta?.dimensions === this.dimensions ? {} : { script: { lang: 'painless', source: "ctx._source.remove('embedding')" } };
    const body = { conflicts: 'proceed', source: { index: old.name, size: 500, query }, dest: { index: to, version_type: 'external_gte' }, ...script };
    const { failures = [] } = await runTask(this.server, '/_reindex', body);
    const [first] = failures;
    if (first) throw new AppError({ kind: 'internal', code: 'reindex_failed', message: `${failures.length} passages could not be copied (${first.cause?.type ?? first.type ?? 'no reason given'}).` });
  }

  /** Copied before they were deleted, or replaced by a version with fewer passages. Only finished ones: the others do it themselves. */
  private async removeOutdated(to: string, since: string): Promise<void> {
    await this.server.call({ method: 'POST', path: `/${this.marks}/_refresh` }, WRITING);
    for await (const { accountId, jobId, version } of this.marksSince(since)) {
      const filter = [{ term: { accountId } }, ...(jobId === undefined ? [] : [{ term: { jobId } }, { range: { version: { lt: version } } }])];
      await removeWhere(this.server, to, { bool: { filter } });
    }
  }

  private async *marksSince(since: string): AsyncGenerator<JobMark> {
    let after: unknown[] | undefined;
    do {
      const query = { bool: { filter: [writtenSince(since), { term: { isComplete: true } }] } };
      const body = { query, size: 500, sort: [{ accountId: 'asc' }, { jobId: 'asc' }], ...(after && { search_after: after }) };
      const { hits } = await this.server.call<{ hits: { hits: { _source: JobMark; sort: unknown[] }[] } }>({ method: 'POST', path: `/${this.marks}/_search`, body }, WRITING);
      for (const { _source } of hits.hits) yield _source;
      after = hits.hits.at(-1)?.sort;
    } while (after);
  }

  private async swap(from: string, to: string): Promise<void> {
    const actions = [{ remove: { index: from, alias: this.alias } }, { add: { index: to, alias: this.alias } }];
    await this.server.call({ method: 'POST', path: '/_aliases', body: { actions } }, WRITING);
  }

  /** Back to where only the old one was, unless the new one has taken its place. */
  private async abandon(old: string, to: string): Promise<void> {
    if ((await this.current(this.alias))?.name === to) return;
    await this.server.call({ method: 'PUT', path: `/${old}/_settings`, body: { index: { 'blocks.write': null } } }, WRITING);
    await this.server.call({ method: 'DELETE', path: `/${to}`, accept: [NOT_FOUND] }, WRITING);
  }
}

const writtenSince = (since: string): object => ({ range: { writtenAt: { gte: since } } });

const isThere = (error: unknown): boolean => serverError(error).type === 'resource_already_exists_exception';
