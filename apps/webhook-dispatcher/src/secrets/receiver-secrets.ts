import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { CLOCK } from '@parlance/runtime';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { OriginSecrets } from './origin-secrets.js';
import { acceptsAccountSecret, presentSecret, secretsOf, type RotationOptions, type SigningSecret, type StoredSecret } from './signing-secret.js';
import { SigningSecrets } from './signing-secrets.js';

/** An endpoint, the origin of callback URLs, or all receivers that have no own secret. */
export interface ReceiverRef {
  endpointId?: string | undefined;
  /** A callback URL, of which the origin counts. */
  url?: string | undefined;
}

export interface ReceiverSecret {
  secret: string;
  /** Until then an earlier secret signs as well. */
  previousExpiresAt: Date | undefined;
  /** Receivers of the account that have no own secret use it, too. */
  shared: boolean;
}

/** Which secret signs for which receiver. */
@Injectable()
export class ReceiverSecrets {
  constructor(
    @Inject(SigningSecrets) private readonly accounts: SigningSecrets,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(OriginSecrets) private readonly origins: OriginSecrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws AppError not_found, invalid_url */
  async get(accountId: string, receiver: ReceiverRef): Promise<ReceiverSecret> {
    const own = await this.ownSecret(accountId, receiver);
    return own ? this.describeOwn(own) : describeShared(await this.accounts.get(accountId));
  }

  /** A receiver without an own secret gets its first one. @throws AppError not_found, invalid_url, too_many_origins */
  async rotate(accountId: string, { endpointId, url }: ReceiverRef, options: RotationOptions): Promise<ReceiverSecret> {
    if (endpointId !== undefined) return this.describeOwn(await this.endpoints.rotateSecret(accountId, endpointId, options));
    if (url !== undefined) return this.describeOwn(await this.origins.rotate(accountId, url, options));
    return describeShared(await this.accounts.rotate(accountId, options));
  }

  /**
   * The secrets that sign a delivery, the newest first; none when its endpoint was deleted. A delivery that goes to an endpoint
   * and to the same address as a job's callback is signed for both.
   */
  async forDelivery({ accountId, endpointId, isCallback, url }: WebhookDelivery): Promise<string[]> {
    const toEndpoint = endpointId === undefined ? [] : await this.forEndpoint(accountId, endpointId);
    if (endpointId !== undefined && !isCallback) return toEndpoint;
    const toCallback = await this.signing(accountId, await this.origins.forSigning(accountId, url));
    return [...new Set([...toEndpoint, ...toCallback])];
  }

  private async forEndpoint(accountId: string, endpointId: string): Promise<string[]> {
    const endpoint = await this.endpoints.find(accountId, endpointId);
    return endpoint ? this.signing(accountId, endpoint.secret) : [];
  }

  private async signing(accountId: string, own: StoredSecret | undefined): Promise<string[]> {
    const now = this.clock.now();
    const ownSecrets = own ? secretsOf(presentSecret(own, now)) : [];
    if (own && !acceptsAccountSecret(own, now)) return ownSecrets;
    return [...ownSecrets, ...secretsOf(await this.accounts.forSigning(accountId))];
  }

  private async ownSecret(accountId: string, { endpointId, url }: ReceiverRef): Promise<StoredSecret | undefined> {
    if (endpointId !== undefined) return (await this.endpoints.get(accountId, endpointId)).secret;
    return url === undefined ? undefined : this.origins.get(accountId, url);
  }

  private describeOwn(own: StoredSecret): ReceiverSecret {
    const now = this.clock.now();
    const { secret, retired } = presentSecret(own, now);
    const accountSecretEnds = acceptsAccountSecret(own, now) ? new Date(own.accountSecretUntil ?? 0) : undefined;
    return { secret, previousExpiresAt: retired[0]?.expiresAt ?? accountSecretEnds, shared: false };
  }
}

const describeShared = ({ secret, retired }: SigningSecret): ReceiverSecret => ({ secret, previousExpiresAt: retired[0]?.expiresAt, shared: true });
