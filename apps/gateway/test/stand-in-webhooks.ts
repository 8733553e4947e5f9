import { webhook, type WebhookService } from '@parlance/contracts';
import { notFound } from '@parlance/platform';

/** The webhook dispatcher, with what a test wants in it. */
export class StandInWebhooks {
  readonly deliveries: webhook.Delivery[] = [];
  readonly endpoints: webhook.Endpoint[] = [];
  readonly redeliveries: webhook.CreateRedeliveryRequest[] = [];
  /** The headers of endpoints, as they came. */
  readonly sealedHeaders: { endpointId: string; sealed: string }[] = [];
  readonly events: webhook.AccountEvent[] = [];
  secret = 'whsec_c2VjcmV0';

  service(): Partial<WebhookService> {
    return {
      listDeliveries: async ({ jobId, endpointId }: webhook.ListDeliveriesRequest): Promise<webhook.ListDeliveriesResponse> => {
        if (endpointId !== undefined) throw notFound('The endpoint');
        return { deliveries: this.deliveries.filter((delivery) => delivery.jobId === jobId), nextCursor: undefined };
      },
      redeliver: async ({ deliveryId }: webhook.RedeliverRequest): Promise<webhook.RedeliverResponse> => {
        const delivery = this.deliveries.find((each) => each.deliveryId === deliveryId);
        if (!delivery) throw notFound('The delivery');
        return { delivery };
      },
      getDelivery: async ({ deliveryId }: webhook.GetDeliveryRequest): Promise<webhook.GetDeliveryResponse> => {
        const delivery = this.deliveries.find((each) => each.deliveryId === deliveryId);
        if (!delivery) throw notFound('The delivery');
        return { delivery };
      },
      createEndpoint: async ({ endpointId: asked, url, eventTypes, enabled, headers }: webhook.CreateEndpointRequest): Promise<webhook.CreateEndpointResponse> => {
        if (headers) this.sealedHeaders.push({ endpointId: asked, sealed: headers.sealed });
        const endpoint = webhook.Endpoint.fromPartial({ url, eventTypes, enabled, headerNames: headers?.names, endpointId: `whe_${this.endpoints.length + 1}`, createdAt: new Date() });
        this.endpoints.push(endpoint);
        return { endpoint, secret: this.secret };
      },
      createRedelivery: async (asked: webhook.CreateRedeliveryRequest): Promise<webhook.CreateRedeliveryResponse> => {
        this.redeliveries.push(asked);
        const { accountId: _account, to = new Date(0), ...redelivery } = asked;
        return { redelivery: webhook.Redelivery.fromPartial({ ...redelivery, to, createdAt: new Date(0) }) };
      },
      listEndpoints: async (): Promise<webhook.ListEndpointsResponse> => ({ endpoints: this.endpoints, nextCursor: undefined }),
      listEvents: async ({ after, limit }: webhook.ListEventsRequest): Promise<webhook.ListEventsResponse> => {
        const from = Number(after ?? 0);
        const events = this.events.slice(from, from + limit);
        return { events, nextCursor: String(from + events.length), hasMore: from + limit < this.events.length, retainedSince: new Date() };
      },
      getSecret: async (): Promise<webhook.GetSecretResponse> => ({ secret: this.secret, previousExpiresAt: undefined }),
      rotateSecret: async ({ revokePrevious }: webhook.RotateSecretRequest): Promise<webhook.RotateSecretResponse> => this.rotatedSecret(revokePrevious),
      getReceiverSecret: async ({ receiver }: webhook.GetReceiverSecretRequest): Promise<webhook.GetReceiverSecretResponse> => ({
        secret: this.secretOf(receiver),
        previousExpiresAt: undefined,
        shared: false,
      }),
      rotateReceiverSecret: async ({ receiver, revokePrevious }: webhook.RotateReceiverSecretRequest): Promise<webhook.RotateReceiverSecretResponse> => ({
        ...this.rotatedSecret(revokePrevious),
        secret: this.secretOf(receiver),
        shared: false,
      }),
    };
  }

  private rotatedSecret(revokePrevious: boolean): webhook.RotateSecretResponse {
    this.secret = 'whsec_bmV3ZXI=';
    return { secret: this.secret, previousExpiresAt: revokePrevious ? undefined : new Date(Date.now() + 86_400_000) };
  }

  /** Returns the receiver of the request, so that a test can check it. */
  private secretOf({ receiver }: webhook.ReceiverRef = {}): string {
    const isKnown = receiver?.$case === 'url' || this.endpoints.some(({ endpointId }) => endpointId === receiver?.value);
    if (!isKnown) throw notFound('The endpoint');
    return `${this.secret} ${receiver?.value}`;
  }
}
