import { silentLogger, systemClock, type Clock, type Logger } from '@parlance/platform';
import { checkedJob, checkedQuery, checkIds, checkVersion, DELETED_VERSION } from '../checked-input.js';
import type { IndexedJob, JobVersion, SearchIndex, SearchPage, SearchQuery, Speaker } from '../search-index.js';
import { IndexMigration } from './index-migration.js';
import { mappingConflict } from './opensearch-errors.js';
import { OpenSearchServer, WRITING } from './opensearch-server.js';
import { parseOpenSearchUrl, type OpenSearchUrl } from './opensearch-url.js';
import { MAPPING, marksAlias, passagesAlias, type IndexMeta } from './passage-index.js';
import { PassageFinder } from './passage-finder.js';
import { JobMarks } from './job-marks.js';
import { PassageDocuments } from './passage-documents.js';

export interface OpenSearchOptions {
  dimensions: number;
  log?: Logger | undefined;
  password?: string | undefined;
  clock?: Clock;
}

/** Passages in OpenSearch 2.19 or later with its k-NN plugin; without neural-search, ranks are fused here. */
export class OpenSearchSearchIndex implements SearchIndex {
  private readonly passages: PassageDocuments;
  private readonly marks: JobMarks;
  private readonly finder: PassageFinder;
  private readonly starting: Promise<void>;
  private facts: Promise<{ meta: IndexMeta; shards: number }> | undefined;

  constructor(
    private readonly server: OpenSearchServer,
    private readonly url: OpenSearchUrl,
    private readonly dimensions: number,
    private readonly log: Logger,
    clock: Clock,
  ) {
    const now = () => clock.now().toISOString();
    this.passages = new PassageDocuments(server, passagesAlias(url), now);
    this.marks = new JobMarks(server, marksAlias(url), now);
    this.finder = new PassageFinder(server, passagesAlias(url), async () => (await this.indexFacts()).shards);
    this.starting = this.start();
  }

  /** Does not wait for the server: calls wait for a while, and `check` reports the state. @throws ConfigError */
  static open(url: string, { dimensions, log = silentLogger(), password, clock = systemClock }: OpenSearchOptions): OpenSearchSearchIndex {
    const parsed = parseOpenSearchUrl(url);
    return new OpenSearchSearchIndex(new OpenSearchServer({ url: parsed, password, log }), parsed, dimensions, log, clock);
  }

  async put(given: IndexedJob): Promise<boolean> {
    const job = checkedJob(given, this.dimensions);
    await this.readyToWrite();
    const before = await this.marks.of(job);
    if (before.isAccountDeleted || !(await this.marks.write(job, false))) return this.giveWay(job);
    await this.passages.write(job);
    // Checked again: a deletion or a higher version that came meanwhile may have missed passages that were written since.
    if (!(await this.marks.write(job, true)) || (await this.marks.of(job)).isAccountDeleted) return this.giveWay(job);
    if (before.job) await this.passages.removeOthers(job);
    return true;
  }

  async updateSpeakers(job: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<boolean> {
    checkVersion(job);
    await this.readyToWrite();
    const { job: before, isAccountDeleted } = await this.marks.of(job);
    if (isAccountDeleted || (before && before.version > job.version)) return false;
    // From here on a `put` of text that was read before the change fails at its end, and its caller reads anew.
    if (!(await this.marks.write(job, false))) return false;
    await this.passages.rewrite(job, speakers);
    const isComplete = before === undefined || before.isComplete || before.version === job.version;
    if (!(await this.marks.write(job, isComplete)) || (await this.marks.of(job)).isAccountDeleted) return this.giveWay(job);
    return before !== undefined;
  }

  async deleteJob(accountId: string, jobId: string): Promise<void> {
    checkIds(accountId, jobId);
    await this.readyToWrite();
    await this.marks.writeDeletion(accountId, jobId);
    await this.passages.removeBelow({ accountId, jobId, version: DELETED_VERSION });
  }

  async deleteAccount(accountId: string): Promise<void> {
    checkIds(accountId);
    await this.readyToWrite();
    await this.marks.writeAccountDeletion(accountId);
    await this.passages.removeAccount(accountId);
    await this.marks.removeJobsOf(accountId);
  }

  async search(query: SearchQuery): Promise<SearchPage> {
    const checked = checkedQuery(query, this.dimensions);
    return this.finder.search(checked);
  }

  async check(): Promise<void> {
    await this.server.check({ method: 'GET', path: `/${passagesAlias(this.url)},${marksAlias(this.url)}/_settings/index.uuid` });
    await this.readyToWrite();
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.starting;
  }

  /** Removes passages of an earlier attempt at this version, after a higher version or a deletion came first. */
  private async giveWay(job: JobVersion): Promise<false> {
    const { job: now, isAccountDeleted } = await this.marks.of(job);
    await this.passages.removeBelow({ ...job, version: isAccountDeleted ? DELETED_VERSION : (now?.version ?? 0) });
    return false;
  }

  private async start(): Promise<void> {
    await this.server.connect();
    if (!this.url.createIndex) return;
    await new IndexMigration(this.server, this.url, this.dimensions, this.log).migrate().catch((error: unknown) => this.log.warn({ err: error }, 'search index could not be created'));
  }

  /** @throws AppError search_mapping_conflict, before anything is written */
  private async readyToWrite(): Promise<void> {
    if (this.url.createIndex) await this.starting;
    const { meta } = await this.indexFacts();
    if (meta.dimensions === this.dimensions && meta.mapping === MAPPING) return;
    this.facts = undefined;
    throw mappingConflict(`The search index is of mapping ${meta.mapping} with ${meta.dimensions} dimensions; this version has ${MAPPING} with ${this.dimensions}: run "parlance-admin search reindex".`);
  }

  /** Read once: another index is created by a command only, and accepts the writes of this process. */
  private async indexFacts(): Promise<{ meta: IndexMeta; shards: number }> {
    this.facts ??= this.askFacts();
    try {
      return await this.facts;
    } catch (error) {
      this.facts = undefined;
      throw error;
    }
  }

  private async askFacts(): Promise<{ meta: IndexMeta; shards: number }> {
    if (this.url.createIndex) await this.starting;
    interface Described {
      mappings: { _meta?: IndexMeta };
      settings: { index: { number_of_shards: string } };
    }
    const answer = await this.server.call<Record<string, Described>>({ method: 'GET', path: `/${passagesAlias(this.url)}` }, WRITING);
    const [index] = Object.values(answer);
    const { _meta: meta = { mapping: 0, dimensions: 0 } } = index?.mappings ?? {};
    return { meta, shards: Number(index?.settings.index.number_of_shards) };
  }
}

