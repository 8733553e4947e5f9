import { Inject, Injectable } from '@nestjs/common';
import { AppError, notFound, requireMatch, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { AccountLimit } from '../accounts/account-limit.js';
import { vocabularyCollection, type Vocabulary } from './vocabulary.js';

const MAX_VOCABULARIES = 100;

type Content = Pick<Vocabulary, 'name' | 'phrases'>;

/** The saved vocabularies of accounts. One of another account is not found. */
@Injectable()
export class Vocabularies {
  private readonly collection: DocumentCollection<Vocabulary>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection(vocabularyCollection);
  }

  /** @throws AppError too_many_vocabularies; requests at the same time may pass the limit by as many as they are */
  async create(accountId: string, content: Content): Promise<Vocabulary> {
    const { used, limit } = await this.limitOf(accountId);
    if (used >= limit) throw new AppError({ kind: 'conflict', code: 'too_many_vocabularies', message: `An account can have at most ${MAX_VOCABULARIES} vocabularies.` });
    const now = this.clock.now().toISOString();
    return (await this.collection.insert({ id: this.ids.next('voc'), createdAt: now, updatedAt: now, accountId, version: 1, ...content })).document;
  }

  async limitOf(accountId: string): Promise<AccountLimit> {
    return { used: await this.collection.count({ accountId }), limit: MAX_VOCABULARIES };
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<Vocabulary> {
    return ownedBy(accountId, (await this.collection.get(id))?.document);
  }

  async list(accountId: string, { limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<{ vocabularies: Vocabulary[]; nextCursor: string | null }> {
    const { items, nextCursor } = await this.collection.find({ where: { accountId }, limit, ...(cursor !== undefined && { cursor }) });
    return { vocabularies: items.map(({ document }) => document), nextCursor };
  }

  /** @param ifMatch the versions that the caller has read; empty: any. @throws AppError not_found, precondition_failed */
  async change(accountId: string, id: string, changes: Partial<Content>, ifMatch: readonly string[]): Promise<Vocabulary> {
    const { stored } = await this.collection.update(id, (found) => {
      const current = ownedBy(accountId, found);
      requireMatch(ifMatch, String(current.version));
      return { document: { ...current, ...changes, version: current.version + 1, updatedAt: this.clock.now().toISOString() } };
    });
    return ownedBy(accountId, stored?.document);
  }

  /** @throws AppError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await this.get(accountId, id);
    if (!(await this.collection.remove(id))) throw notFound('The vocabulary');
  }
}

function ownedBy(accountId: string, vocabulary: Vocabulary | undefined): Vocabulary {
  if (vocabulary?.accountId !== accountId) throw notFound('The vocabulary');
  return vocabulary;
}
