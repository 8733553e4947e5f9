import { Inject, Injectable } from '@nestjs/common';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';

type Headers = Readonly<Record<string, string>>;

/** The headers that the owner of a receiver wants with each webhook. */
@Injectable()
export class ReceiverHeaders {
  constructor(
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(DispatcherSettings) private readonly settings: Pick<DispatcherSettings, 'secrets'>,
  ) {}

  /** @returns undefined when they were sealed with another key */
  async forDelivery({ accountId, jobId, endpointId, url, sealedHeaders }: WebhookDelivery): Promise<Headers | undefined> {
    const endpoint = endpointId === undefined ? undefined : await this.endpoints.find(accountId, endpointId);
    // It may have moved since the delivery was read, and its headers with it.
    const ofEndpoint = this.open(endpoint?.url === url ? endpoint.headers?.sealed : undefined, `${accountId}/${endpointId}`);
    const ofCallback = this.open(sealedHeaders, `${accountId}/${jobId}`);
    return ofEndpoint && ofCallback && { ...ofEndpoint, ...ofCallback };
  }

  /** The names in lower case, so that none is sent twice. */
  private open(sealed: string | undefined, context: string): Headers | undefined {
    if (sealed === undefined || sealed === '') return {};
    const opened = this.settings.secrets?.open(sealed, context);
    if (opened === undefined) return undefined;
    return Object.fromEntries(Object.entries(JSON.parse(opened) as Headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
}
