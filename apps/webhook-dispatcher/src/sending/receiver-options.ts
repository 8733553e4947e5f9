import { Inject, Injectable } from '@nestjs/common';
import type { WebhookContent } from '@parlance/contracts';
import type { WebhookDelivery } from '../deliveries/delivery.js';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { DispatcherSettings } from '../webhook-dispatcher.config.js';

type Headers = Readonly<Record<string, string>>;

/** The owner of a receiver wants these with each webhook. */
interface Options {
  /** Undefined when they were sealed with another key. */
  headers: Headers | undefined;
  include: WebhookContent[];
}

/** The options of receivers: an endpoint's as they are now, a callback's as its job was created with. */
@Injectable()
export class ReceiverOptions {
  constructor(
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(DispatcherSettings) private readonly settings: Pick<DispatcherSettings, 'secrets'>,
  ) {}

  async forDelivery({ accountId, jobId, endpointId, url, sealedHeaders, include = [] }: WebhookDelivery): Promise<Options> {
    const found = endpointId === undefined ? undefined : await this.endpoints.find(accountId, endpointId);
    // It may have moved since the delivery was read, and its headers with it.
    const endpoint = found?.url === url ? found : undefined;
    const ofEndpoint = this.open(endpoint?.headers?.sealed, `${accountId}/${endpointId}`);
    const ofCallback = this.open(sealedHeaders, `${accountId}/${jobId}`);
    return { headers: ofEndpoint && ofCallback && { ...ofEndpoint, ...ofCallback }, include: [...include, ...(endpoint?.include ?? [])] };
  }

  /** The names in lower case, so that none is sent twice. */
  private open(sealed: string | undefined, context: string): Headers | undefined {
    if (sealed === undefined || sealed === '') return {};
    const opened = this.settings.secrets?.open(sealed, context);
    if (opened === undefined) return undefined;
    return Object.fromEntries(Object.entries(JSON.parse(opened) as Headers).map(([name, value]) => [name.toLowerCase(), value]));
  }
}
