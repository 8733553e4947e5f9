import { Inject, Injectable } from '@nestjs/common';
import { limitReached, notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { sweepExpired } from '../expired-documents.js';
import { hashesEqual, hashOfKey, linkIdOf, makeApiKey, type RandomBytes } from '../keys/api-key-format.js';
import { RANDOM_BYTES } from '../keys/random-bytes.js';
import type { JobRef } from '../transcriptions/job-reader.js';
import type { ShareLink } from './share-link.js';

/** The key that creates a link. */
interface LinkCreator {
  accountId: string;
  keyId: string;
  /** When the key ends, RFC 3339. */
  expiresAt?: string;
}

type LinkRequest = Pick<ShareLink, 'jobId' | 'what' | 'format'> & { expiresInSeconds: number };

interface IssuedLink {
  link: ShareLink;
  /** Shown once, as the end of the link's URL. */
  secret: string;
}

/** The links of a job that have not expired. */
export const MAX_LINKS_PER_JOB = 100;
const SWEEP_BATCH = 100;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The links to contents of jobs. A link of another account or job is not found. */
@Injectable()
export class ShareLinks {
  private readonly collection: DocumentCollection<ShareLink>;

  constructor(
    @Inject(DOCUMENTS) documents: Pick<DocumentDatabase, 'collection'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
    @Inject(RANDOM_BYTES) private readonly random: RandomBytes,
  ) {
    this.collection = documents.collection<ShareLink>({
      name: 'share_links',
      data: { what: 'digests of links to a job\'s contents', purpose: 'sharing', kept: 'with the job; at the latest a day after the link ends' },
      indexes: [{ fields: ['jobId'] }, { fields: ['jobId'], orderBy: 'expiresAt' }, { fields: [], orderBy: 'expiresAt' }],
    });
  }

  /** A link never outlasts the key that creates it. @throws AppError invalid_state when the job has the maximum number of links */
  async issue({ accountId, keyId, expiresAt: keyEnd }: LinkCreator, { expiresInSeconds, ...content }: LinkRequest): Promise<IssuedLink> {
    const id = this.ids.next('lnk');
    const secret = makeApiKey(id, this.random);
    const now = this.clock.now();
    const end = new Date(now.getTime() + expiresInSeconds * 1000).toISOString();
    const expiresAt = keyEnd !== undefined && keyEnd < end ? keyEnd : end;
    const link: ShareLink = { id, createdAt: now.toISOString(), accountId, keyId, ...content, hash: hashOfKey(secret), expiresAt };
    await this.requireRoom(link.jobId, MAX_LINKS_PER_JOB - 1);
    await this.collection.insert(link);
    try {
      // Counted again: of several requests at once, each sees at least those before it.
      await this.requireRoom(link.jobId, MAX_LINKS_PER_JOB);
    } catch (error) {
      await this.collection.remove(id);
      throw error;
    }
    return { link, secret };
  }

  /** The link with this secret, also when it has expired. */
  async find(secret: string): Promise<ShareLink | undefined> {
    const link = await this.get(linkIdOf(secret) ?? '');
    return link && hashesEqual(link.hash, hashOfKey(secret)) ? link : undefined;
  }

  async get(id: string): Promise<ShareLink | undefined> {
    return (await this.collection.get(id))?.document;
  }

  hasExpired({ expiresAt }: ShareLink): boolean {
    return expiresAt <= this.now();
  }

  /** Newest first; those that have expired are left out of their page. @throws AppError invalid_cursor */
  async list(jobId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<{ links: ShareLink[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.collection.find({ where: { jobId }, limit, ...(cursor !== undefined && { cursor }) });
    return { links: items.map(({ document }) => document).filter((link) => !this.hasExpired(link)), nextCursor };
  }

  /** @throws AppError not_found */
  async revoke({ accountId, jobId }: JobRef, id: string): Promise<void> {
    const link = await this.get(id);
    if (link?.accountId !== accountId || link.jobId !== jobId || !(await this.collection.remove(id))) throw notFound('The link');
  }

  countOf(jobId: string): Promise<number> {
    return this.collection.count({ jobId });
  }

  async eraseJob(jobId: string): Promise<void> {
    await this.collection.removeWhere({ jobId });
  }

  /** Removes links that expired a day ago: until then, one that is still used does not count as a guess. */
  sweep(): Promise<void> {
    const dayAgo = { now: () => new Date(this.clock.now().getTime() - DAY_MS) };
    return sweepExpired(this.collection, dayAgo, SWEEP_BATCH);
  }

  /** @param limit of the links that are there */
  private async requireRoom(jobId: string, limit: number): Promise<void> {
    const { items } = await this.collection.find({ where: { jobId }, range: { field: 'expiresAt', gte: this.now() }, orderBy: 'expiresAt', limit: limit + 1 });
    if (items.length <= limit) return;
    throw limitReached(`A transcription has at most ${MAX_LINKS_PER_JOB} links. Revoke one, or wait until one has expired.`);
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
