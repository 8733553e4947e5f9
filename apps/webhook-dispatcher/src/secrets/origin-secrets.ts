import { Inject, Injectable } from '@nestjs/common';
import { AppError, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { RecentReads } from './recent-reads.js';
import { newSecret, rotatedReceiverSecret, type RotationOptions, type StoredSecret } from './signing-secret.js';

/** The secret of one origin of callback URLs of one account. */
interface OriginDocument extends Document, StoredSecret {
  accountId: string;
}

const MAX_PER_ACCOUNT = 10_000;

/** The own secrets of origins (scheme, host and port) of callback URLs. An origin has none until one is requested. */
@Injectable()
export class OriginSecrets {
  private readonly collection: DocumentCollection<OriginDocument>;
  private readonly recent = new RecentReads<StoredSecret | undefined>();

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection<OriginDocument>({ name: 'origin_secrets', indexes: [{ fields: ['accountId'] }] });
  }

  /** To sign with: what it was a moment ago will do. */
  async forSigning(accountId: string, url: string): Promise<StoredSecret | undefined> {
    const origin = originOf(url);
    if (origin === undefined) return undefined;
    const id = documentId(accountId, origin);
    return this.recent.get(id, () => this.read(id));
  }

  /** @throws AppError invalid_url */
  async get(accountId: string, url: string): Promise<StoredSecret | undefined> {
    const id = documentId(accountId, requiredOrigin(url));
    return this.recent.keep(id, await this.read(id));
  }

  /** The first one is made here. @throws AppError invalid_url, too_many_origins */
  async rotate(accountId: string, url: string, options: RotationOptions): Promise<StoredSecret> {
    const id = documentId(accountId, requiredOrigin(url));
    if (!(await this.read(id)) && (await this.collection.count({ accountId })) >= MAX_PER_ACCOUNT) throw tooMany();
    const secret = newSecret();
    const now = this.clock.now();
    const { stored } = await this.collection.update(id, (current) => ({
      document: { id, accountId, createdAt: current?.createdAt ?? now.toISOString(), ...rotatedReceiverSecret(current, secret, now, options) },
    }));
    const rotated = stored?.document ?? { secret };
    this.recent.keep(id, rotated);
    return rotated;
  }

  private async read(id: string): Promise<StoredSecret | undefined> {
    return (await this.collection.get(id))?.document;
  }
}

const documentId = (accountId: string, origin: string): string => `${accountId} ${origin}`;

function originOf(url: string): string | undefined {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' || parsed?.protocol === 'http:' ? parsed.origin : undefined;
}

function requiredOrigin(url: string): string {
  const origin = originOf(url);
  if (origin === undefined) throw new AppError({ kind: 'invalid', code: 'invalid_url', message: 'The URL of a receiver must begin with http:// or https://.' });
  return origin;
}

const tooMany = () =>
  new AppError({ kind: 'conflict', code: 'too_many_origins', message: `An account can have its own secrets for at most ${MAX_PER_ACCOUNT} origins.` });
