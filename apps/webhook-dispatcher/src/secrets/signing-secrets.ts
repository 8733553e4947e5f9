import { randomBytes } from 'node:crypto';
import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { SECRET_PREFIX } from './signature.js';

/** Of one account, whose id it has. */
interface SecretDocument extends Document {
  secret: string;
  /** Signs beside the present one until its time is over. */
  previous?: { secret: string; expiresAt: string };
}

export interface AccountSecret {
  /** `whsec_…` */
  secret: string;
  previous?: { secret: string; expiresAt: Date };
}

/** Between the 24 and 64 bytes that Standard Webhooks asks for. */
const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3600 * 1000;

/** The accounts' signing secrets: one each, made when it is first needed. */
export class SigningSecrets {
  private readonly collection: DocumentCollection<SecretDocument>;

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly random: (bytes: number) => Buffer = randomBytes,
  ) {
    this.collection = documents.collection<SecretDocument>({ name: 'signing_secrets', indexes: [] });
  }

  async get(accountId: string): Promise<AccountSecret> {
    const known = await this.collection.get(accountId);
    if (known) return this.present(known.document);
    const document = { id: accountId, createdAt: this.clock.now().toISOString(), secret: this.newSecret() };
    const { stored } = await this.collection.update(accountId, (current) => (current ? undefined : { document }));
    return this.present(stored?.document ?? document);
  }

  /** The old secret goes on signing for 24 h; one that was rotated out before that no longer does. */
  async rotate(accountId: string): Promise<AccountSecret> {
    const secret = this.newSecret();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + OVERLAP_MS).toISOString();
    await this.collection.update(accountId, (current) => ({
      document: {
        id: accountId,
        createdAt: now.toISOString(),
        secret,
        ...(current ? { previous: { secret: current.secret, expiresAt } } : {}),
      },
    }));
    return this.get(accountId);
  }

  private newSecret(): string {
    return SECRET_PREFIX + this.random(SECRET_BYTES).toString('base64');
  }

  private present({ secret, previous }: SecretDocument): AccountSecret {
    const valid = previous && new Date(previous.expiresAt) > this.clock.now();
    return { secret, ...(valid ? { previous: { secret: previous.secret, expiresAt: new Date(previous.expiresAt) } } : {}) };
  }
}
