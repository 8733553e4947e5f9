import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { RecentReads } from './recent-reads.js';
import { newSecret, presentSecret, rotatedSecret, type RotationOptions, type SigningSecret, type StoredSecret } from './signing-secret.js';

/** The secret of one account, under its id. */
type SecretDocument = Document & StoredSecret;

/** The accounts' signing secrets: one each, made when it is first needed. Receivers without an own secret share it. */
@Injectable()
export class SigningSecrets {
  private readonly collection: DocumentCollection<SecretDocument>;
  private readonly recent = new RecentReads<SecretDocument>();

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.collection = documents.collection<SecretDocument>({ name: 'signing_secrets', indexes: [] });
  }

  /** To sign with: what it was a moment ago will do. */
  async forSigning(accountId: string): Promise<SigningSecret> {
    return presentSecret(await this.recent.get(accountId, () => this.read(accountId)), this.clock.now());
  }

  async get(accountId: string): Promise<SigningSecret> {
    return presentSecret(this.recent.keep(accountId, await this.read(accountId)), this.clock.now());
  }

  /** With `revokePrevious`, replicas that know an earlier secret for a moment longer stop within a second. */
  async rotate(accountId: string, options: RotationOptions = {}): Promise<SigningSecret> {
    const secret = newSecret();
    const now = this.clock.now();
    await this.collection.update(accountId, (current) => ({
      document: { id: accountId, createdAt: now.toISOString(), ...rotatedSecret(current, secret, now, options) },
    }));
    return this.get(accountId);
  }

  private async read(accountId: string): Promise<SecretDocument> {
    const known = await this.collection.get(accountId);
    if (known) return known.document;
    const document = { id: accountId, createdAt: this.clock.now().toISOString(), secret: newSecret() };
    const { stored } = await this.collection.update(accountId, (current) => (current ? undefined : { document }));
    return stored?.document ?? document;
  }
}
