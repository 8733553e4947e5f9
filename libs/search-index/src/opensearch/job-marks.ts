import { DELETED_VERSION } from '../checked-input.js';
import type { JobVersion } from '../search-index.js';
import { writeAll } from './bulk-writer.js';
import { WRITING, type OpenSearchServer } from './opensearch-server.js';
import { removeWhere } from './passage-removal.js';

/** The state of a job, written before its passages and after them. It outlives them and contains no transcript text. */
export interface JobMark {
  accountId: string;
  jobId?: string;
  /** The highest that was written; `DELETED_VERSION` when it is deleted. */
  version: number;
  /** True when all its passages are written. */
  isComplete: boolean;
  writtenAt: string;
}

interface JobState {
  job: JobMark | undefined;
  isAccountDeleted: boolean;
}

const jobMarkId = ({ accountId, jobId }: { accountId: string; jobId: string }) => `job/${accountId}/${jobId}`;
const accountMarkId = (accountId: string) => `account/${accountId}`;

/** The version of each job that is valid for all writing processes. Reads are by id, for which the server returns the last write. */
export class JobMarks {
  constructor(
    private readonly server: OpenSearchServer,
    private readonly alias: string,
    private readonly now: () => string,
  ) {}

  async of(job: { accountId: string; jobId: string }): Promise<JobState> {
    const ids = [jobMarkId(job), accountMarkId(job.accountId)];
    const { docs } = await this.server.call<{ docs: { found?: boolean; _source?: JobMark; error?: object }[] }>({ method: 'POST', path: `/${this.alias}/_mget`, body: { ids } }, WRITING);
    const [{ _source: found } = {}, account] = docs;
    return { job: found, isAccountDeleted: account?.found ?? false };
  }

  /** @returns false when a higher version is there */
  async write({ accountId, jobId, version }: JobVersion, isComplete: boolean): Promise<boolean> {
    return this.put(jobMarkId({ accountId, jobId }), { accountId, jobId, version, isComplete, writtenAt: this.now() });
  }

  async writeDeletion(accountId: string, jobId: string): Promise<void> {
    await this.write({ accountId, jobId, version: DELETED_VERSION }, true);
  }

  async writeAccountDeletion(accountId: string): Promise<void> {
    await this.put(accountMarkId(accountId), { accountId, version: DELETED_VERSION, isComplete: true, writtenAt: this.now() });
  }

  /** Removes the marks of the account's jobs; the mark of the account itself stays. */
  async removeJobsOf(accountId: string): Promise<void> {
    await removeWhere(this.server, this.alias, { bool: { filter: [{ term: { accountId } }, { exists: { field: 'jobId' } }] } });
  }

  private async put(id: string, mark: JobMark): Promise<boolean> {
    const outdated = await writeAll(this.server, this.alias, [{ id, version: mark.version, document: mark }]);
    return outdated.length === 0;
  }
}
