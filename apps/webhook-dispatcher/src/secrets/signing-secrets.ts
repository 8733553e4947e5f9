import { randomBytes } from 'node:crypto';
import type { Clock } from '@parlance/platform';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import { SECRET_PREFIX } from './signature.js';

/** Of one account, whose id it has. */
interface SecretDocument extends Document {
  secret: string;
  /** Sign beside the present one until their time is over; the newest first. */
  retired?: { secret: string; expiresAt: string }[];
}

export interface AccountSecret {
  /** `whsec_…` */
  secret: string;
  /** Those before it that still sign, the newest first. */
  retired: { secret: string; expiresAt: Date }[];
}

/** Between the 24 and 64 bytes that Standard Webhooks asks for. */
const SECRET_BYTES = 32;
const OVERLAP_MS = 24 * 3600 * 1000;
/** Beside the present one: each is a signature more in a header. */
const MAX_RETIRED = 4;
/** A rotation by another replica is heard of after this time. */
const KNOWN_FOR_MS = 1_000;
const MOST_KNOWN = 10_000;

/** The accounts' signing secrets: one each, made when it is first needed. */
export class SigningSecrets {
  private readonly collection: DocumentCollection<SecretDocument>;
  private readonly known = new Map<string, { document: SecretDocument; until: number }>();

  constructor(
    documents: DocumentDatabase,
    private readonly clock: Clock,
    private readonly random: (bytes: number) => Buffer = randomBytes,
  ) {
    this.collection = documents.collection<SecretDocument>({ name: 'signing_secrets', indexes: [] });
  }

  /** To sign with: what it was a moment ago will do. */
  async forSigning(accountId: string): Promise<AccountSecret> {
    const known = this.known.get(accountId);
    return known && performance.now() < known.until ? this.present(known.document) : this.get(accountId);
  }

  async get(accountId: string): Promise<AccountSecret> {
    const known = await this.collection.get(accountId);
    if (known) return this.present(this.remembered(known.document));
    const document = { id: accountId, createdAt: this.clock.now().toISOString(), secret: this.newSecret() };
    const { stored } = await this.collection.update(accountId, (current) => (current ? undefined : { document }));
    return this.present(stored?.document ?? document);
  }

  /** The old secret goes on signing for 24 h, also when it is rotated once more, as by somebody who did not get the answer. */
  async rotate(accountId: string): Promise<AccountSecret> {
    const secret = this.newSecret();
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + OVERLAP_MS).toISOString();
    await this.collection.update(accountId, (current) => ({
      document: {
        id: accountId,
        createdAt: now.toISOString(),
        secret,
        ...(current && { retired: [{ secret: current.secret, expiresAt }, ...this.signing(current)].slice(0, MAX_RETIRED) }),
      },
    }));
    return this.get(accountId);
  }

  private remembered(document: SecretDocument): SecretDocument {
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(document.id, { document, until: performance.now() + KNOWN_FOR_MS });
    return document;
  }

  private newSecret(): string {
    return SECRET_PREFIX + this.random(SECRET_BYTES).toString('base64');
  }

  private present(document: SecretDocument): AccountSecret {
    const retired = this.signing(document).map(({ secret, expiresAt }) => ({ secret, expiresAt: new Date(expiresAt) }));
    return { secret: document.secret, retired };
  }

  private signing({ retired = [] }: SecretDocument) {
    const now = this.clock.now().toISOString();
    return retired.filter(({ expiresAt }) => expiresAt > now);
  }
}
