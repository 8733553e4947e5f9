import type { IndexedJob, JobVersion, Speaker } from '../search-index.js';
import { writeAll } from './bulk-writer.js';
import { WRITING, type OpenSearchServer } from './opensearch-server.js';
import { documentId, passageDocument, withSpeaker, type PassageDocument } from './passage-document.js';
import { removeWhere } from './passage-removal.js';

/** Documents that are read at once to be written anew. */
const PAGE = 500;

/** Passages as documents behind an alias; each is written at the version of its job, and not over a higher one. */
export class PassageDocuments {
  constructor(
    private readonly server: OpenSearchServer,
    private readonly alias: string,
    private readonly now: () => string,
  ) {}

  async write(job: IndexedJob): Promise<void> {
    const writtenAt = this.now();
    await this.writeDocuments(job.passages.map((passage) => passageDocument(job, passage, writtenAt)));
  }

  /** All of the job, with these speakers in place of those of their ids; all at the version, so that none is taken for an older one. */
  async rewrite({ accountId, jobId, version }: JobVersion, speakers: Readonly<Record<string, Speaker>>): Promise<void> {
    await this.server.call({ method: 'POST', path: `/${this.alias}/_refresh` }, WRITING);
    for await (const page of this.pages({ bool: { filter: [...ofJob(accountId, jobId), { range: { version: { lt: version } } }] } })) {
      const writtenAt = this.now();
      await this.writeDocuments(
        page.map((document) => {
          const speaker = document.speakerId === undefined ? undefined : Object.hasOwn(speakers, document.speakerId) ? speakers[document.speakerId] : undefined;
          return { ...(speaker ? withSpeaker(document, speaker) : document), version, writtenAt };
        }),
      );
    }
  }

  /** Removes what the job had before this version, and at this version beside these passages. */
  async removeOthers({ accountId, jobId, version, passages }: IndexedJob): Promise<void> {
    const these = { bool: { filter: [{ term: { version } }, { terms: { passageId: passages.map(({ id }) => id) } }] } };
    await removeWhere(this.server, this.alias, { bool: { filter: [...ofJob(accountId, jobId), { range: { version: { lte: version } } }], must_not: these } });
  }

  async removeBelow({ accountId, jobId, version }: JobVersion): Promise<void> {
    await removeWhere(this.server, this.alias, { bool: { filter: [...ofJob(accountId, jobId), { range: { version: { lt: version } } }] } });
  }

  async removeAccount(accountId: string): Promise<void> {
    await removeWhere(this.server, this.alias, { term: { accountId } });
  }

  private async writeDocuments(documents: readonly PassageDocument[]): Promise<void> {
    const writes = documents.map((document) => ({ id: documentId(document.accountId, document.jobId, document.passageId), version: document.version, document }));
    await writeAll(this.server, this.alias, writes);
  }

  private async *pages(query: object): AsyncGenerator<PassageDocument[]> {
    let after: readonly unknown[] | undefined;
    for (;;) {
      const body = { query, size: PAGE, sort: [{ passageId: 'asc' }], ...(after && { search_after: after }) };
      const { hits } = await this.server.call<{ hits: { hits: { _source: PassageDocument; sort: unknown[] }[] } }>({ method: 'POST', path: `/${this.alias}/_search`, body }, WRITING);
      if (hits.hits.length > 0) yield hits.hits.map(({ _source }) => _source);
      if (hits.hits.length < PAGE) return;
      after = hits.hits.at(-1)?.sort;
    }
  }
}

const ofJob = (accountId: string, jobId: string): object[] => [{ term: { accountId } }, { term: { jobId } }];
