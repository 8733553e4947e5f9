import { Inject, Injectable } from '@nestjs/common';
import type { webhook } from '@parlance/contracts';
import { AppError, notFound, type Clock } from '@parlance/platform';
import { CLOCK, DOCUMENTS } from '@parlance/runtime';
import { type Document, type DocumentCollection, type DocumentDatabase, ownerOfAccount, ownerOfAccountDocument } from '@parlance/storage';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { acceptsAccountSecret, newSecret, previousExpiry, rotatedSecret, signersOf, type RotationOptions, type StoredSecret } from './signing-secret.js';

/** An endpoint, or the origin of a callback URL. Undefined: all receivers of the account that have no own secret. */
type Receiver = webhook.ReceiverRef['receiver'];
type ReceiverSecret = webhook.GetReceiverSecretResponse;

interface SecretDocument extends Document, StoredSecret {
  /** Set for the secret of an origin. */
  accountId?: string;
}

const SECRET_FIELDS = ['secret', 'retired'];

const MAX_ORIGINS = 10_000;

/** Which secret signs for which receiver. Endpoints keep their own themselves. */
@Injectable()
export class ReceiverSecrets {
  /** The secret of an account, under its id, made when it is first needed. Receivers without an own secret share it. */
  private readonly accounts: DocumentCollection<SecretDocument>;
  /** The secret of one origin of callback URLs of one account. An origin has none until one is requested. */
  private readonly origins: DocumentCollection<SecretDocument>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.accounts = documents.collection<SecretDocument>({
      name: 'signing_secrets',
      data: { what: 'secrets that sign webhooks', purpose: 'to sign webhooks', kept: 'with the account' },
      account: 'id',
      indexes: [],
      sealed: { fields: SECRET_FIELDS, owner: ownerOfAccountDocument },
    });
    this.origins = documents.collection<SecretDocument>({
      name: 'origin_secrets',
      data: { what: 'secrets that sign webhooks to one address', purpose: 'to sign webhooks', kept: 'with the account' },
      account: 'accountId',
      indexes: [{ fields: ['accountId'] }],
      sealed: { fields: SECRET_FIELDS, owner: ({ accountId = '' }) => ownerOfAccount({ accountId }) },
    });
  }

  /** @throws AppError not_found, invalid_url */
  async get(accountId: string, receiver: Receiver): Promise<ReceiverSecret> {
    const own = await this.own(accountId, receiver);
    return own ? this.describe(own, false) : this.describe(await this.ofAccount(accountId), true);
  }

  /** A receiver without an own secret gets its first one. @throws AppError not_found, invalid_url, too_many_origins */
  async rotate(accountId: string, receiver: Receiver, options: RotationOptions): Promise<ReceiverSecret> {
    if (!receiver) return this.describe(await this.rotateIn(this.accounts, { id: accountId }, options), true);
    const { $case, value } = receiver;
    const rotated = $case === 'endpointId' ? this.endpoints.rotateSecret(accountId, value, options) : this.rotateOrigin(accountId, requiredOrigin(value), options);
    return this.describe(await rotated, false);
  }

  /**
   * The secrets that sign a delivery, the newest first; none when its endpoint was deleted. A delivery that goes to an endpoint
   * and to the same address as a job's callback is signed for both.
   */
  async forDelivery({ accountId, endpointId, isCallback, url }: WebhookDelivery): Promise<string[]> {
    const endpoint = endpointId === undefined ? undefined : await this.endpoints.find(accountId, endpointId);
    const toEndpoint = endpoint ? await this.signers(accountId, endpoint.secret) : [];
    if (endpointId !== undefined && !isCallback) return toEndpoint;
    const origin = originOf(url);
    const toCallback = await this.signers(accountId, origin === undefined ? undefined : await this.ofOrigin(accountId, origin));
    return [...new Set([...toEndpoint, ...toCallback])];
  }

  private async own(accountId: string, receiver: Receiver): Promise<StoredSecret | undefined> {
    if (receiver?.$case === 'endpointId') return (await this.endpoints.get(accountId, receiver.value)).secret;
    return receiver && this.ofOrigin(accountId, requiredOrigin(receiver.value));
  }

  private async signers(accountId: string, own: StoredSecret | undefined): Promise<string[]> {
    const now = this.clock.now();
    const ownSigners = own ? signersOf(own, now) : [];
    return own && !acceptsAccountSecret(own, now) ? ownSigners : [...ownSigners, ...signersOf(await this.ofAccount(accountId), now)];
  }

  private async ofAccount(accountId: string): Promise<StoredSecret> {
    const known = await this.accounts.get(accountId);
    if (known) return known.document;
    const first = { id: accountId, createdAt: this.clock.now().toISOString(), secret: newSecret() };
    const { stored } = await this.accounts.update(accountId, (current) => (current ? undefined : { document: first }));
    return stored?.document ?? first;
  }

  private async ofOrigin(accountId: string, origin: string): Promise<StoredSecret | undefined> {
    return (await this.origins.get(originId(accountId, origin)))?.document;
  }

  private async rotateOrigin(accountId: string, origin: string, options: RotationOptions): Promise<StoredSecret> {
    if (!(await this.ofOrigin(accountId, origin)) && (await this.origins.count({ accountId })) >= MAX_ORIGINS) throw tooMany();
    return this.rotateIn(this.origins, { id: originId(accountId, origin), accountId }, options);
  }

  private async rotateIn(secrets: DocumentCollection<SecretDocument>, owner: Pick<SecretDocument, 'id' | 'accountId'>, options: RotationOptions): Promise<StoredSecret> {
    const now = this.clock.now();
    const { stored } = await secrets.update(owner.id, (current) => ({
      document: { ...owner, createdAt: current?.createdAt ?? now.toISOString(), ...rotatedSecret(current, now, options, owner.accountId !== undefined) },
    }));
    if (!stored) throw notFound('The secret');
    return stored.document;
  }

  private describe(stored: StoredSecret, shared: boolean): ReceiverSecret {
    return { secret: stored.secret, previousExpiresAt: previousExpiry(stored, this.clock.now()), shared };
  }
}

const originId = (accountId: string, origin: string): string => `${accountId} ${origin}`;

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
  new AppError({ kind: 'conflict', code: 'too_many_origins', message: `An account can have its own secrets for at most ${MAX_ORIGINS} origins.` });
