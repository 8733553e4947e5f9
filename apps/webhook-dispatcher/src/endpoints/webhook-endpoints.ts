import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { AppError, notFound, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import type { Document, DocumentCollection, DocumentDatabase } from '@parlance/storage';
import type { AttemptResult } from '../deliveries/delivery.js';
import { newSecret, rotatedReceiverSecret, type RotationOptions, type StoredSecret } from '../secrets/signing-secret.js';
import { endpointAfter, withChanges, type EndpointChanges, type EndpointSettings, type WebhookEndpoint } from './webhook-endpoint.js';

/** The endpoints of one account, under its id: one read gives the receivers of an event, and their number has an exact bound. */
interface EndpointList extends Document {
  endpoints: WebhookEndpoint[];
}

const MAX_PER_ACCOUNT = 20;

/** The account-wide receivers, oldest first. */
@Injectable()
export class WebhookEndpoints {
  private readonly collection: DocumentCollection<EndpointList>;

  constructor(
    @Inject(DOCUMENTS) documents: DocumentDatabase,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ID_GENERATOR) private readonly ids: IdGenerator,
  ) {
    this.collection = documents.collection<EndpointList>({ name: 'webhook_endpoints', indexes: [] });
  }

  async of(accountId: string): Promise<WebhookEndpoint[]> {
    return (await this.collection.get(accountId))?.document.endpoints ?? [];
  }

  /** @throws AppError not_found */
  async get(accountId: string, id: string): Promise<WebhookEndpoint> {
    return required(await this.find(accountId, id));
  }

  async find(accountId: string, id: string): Promise<WebhookEndpoint | undefined> {
    return (await this.of(accountId)).find((endpoint) => endpoint.id === id);
  }

  /** @throws AppError too_many_endpoints */
  async create(accountId: string, given: EndpointSettings): Promise<WebhookEndpoint & { secret: StoredSecret }> {
    const endpoint = { id: this.ids.next('whe'), createdAt: this.clock.now().toISOString(), ...given, secret: { secret: newSecret() } };
    await this.collection.update(accountId, (current) => {
      const endpoints = current?.endpoints ?? [];
      if (endpoints.length >= MAX_PER_ACCOUNT) throw tooMany();
      return { document: { id: accountId, createdAt: current?.createdAt ?? endpoint.createdAt, endpoints: [...endpoints, endpoint] } };
    });
    return endpoint;
  }

  /** @throws AppError not_found */
  change(accountId: string, id: string, changes: EndpointChanges): Promise<WebhookEndpoint> {
    return this.replace(accountId, id, (endpoint) => withChanges(endpoint, changes));
  }

  /** An endpoint that shares the account's secret gets its own. @throws AppError not_found */
  async rotateSecret(accountId: string, id: string, options: RotationOptions): Promise<StoredSecret> {
    const now = this.clock.now();
    const rotated = await this.replace(accountId, id, (endpoint) => ({ ...endpoint, secret: rotatedReceiverSecret(endpoint.secret, now, options) }));
    return rotated.secret;
  }

  /** @throws AppError not_found */
  async delete(accountId: string, id: string): Promise<void> {
    await this.collection.update(accountId, (current) => {
      const endpoints = current?.endpoints.filter((endpoint) => endpoint.id !== id);
      if (!current || endpoints?.length === current.endpoints.length) throw notFound('The endpoint');
      return { document: { ...current, endpoints: endpoints ?? [] } };
    });
  }

  /** Updates the endpoint after an attempt, unless it has another address by now. Publishes an event when that disables it. */
  async attempted(accountId: string, { id, url }: Pick<WebhookEndpoint, 'id' | 'url'>, outcome: AttemptResult['outcome']): Promise<void> {
    const now = this.clock.now();
    const isThis = (endpoint: WebhookEndpoint) => endpoint.id === id && endpoint.url === url;
    const known = (await this.of(accountId)).find(isThis);
    if (!known || endpointAfter(known, outcome, now) === known) return;
    await this.collection.update(accountId, (current) => {
      const endpoint = current?.endpoints.find(isThis);
      const after = endpoint && endpointAfter(endpoint, outcome, now);
      if (!current || !after || after === endpoint) return undefined;
      return { document: withOne(current, after), events: endpoint.enabled && !after.enabled ? [disabledEvent(accountId, after)] : [] };
    });
  }

  private async replace<T extends WebhookEndpoint>(accountId: string, id: string, change: (endpoint: WebhookEndpoint) => T): Promise<T> {
    let changed: T | undefined;
    await this.collection.update(accountId, (current) => {
      changed = change(required(current?.endpoints.find((endpoint) => endpoint.id === id)));
      return current && { document: withOne(current, changed) };
    });
    return required(changed);
  }
}

const withOne = (list: EndpointList, changed: WebhookEndpoint): EndpointList => ({
  ...list,
  endpoints: list.endpoints.map((endpoint) => (endpoint.id === changed.id ? changed : endpoint)),
});

function disabledEvent(accountId: string, { id, url, failingSince, disabled }: WebhookEndpoint): NewEvent {
  const { at, reason } = disabled ?? { at: '', reason: '' };
  const since = failingSince === undefined ? undefined : new Date(failingSince);
  return { type: 'webhook.endpoint_disabled', data: { accountId, endpointId: id, url, reason, failingSince: since, disabledAt: new Date(at) } };
}

function required<T extends WebhookEndpoint>(endpoint: T | undefined): T {
  if (!endpoint) throw notFound('The endpoint');
  return endpoint;
}

const tooMany = () =>
  new AppError({ kind: 'conflict', code: 'too_many_endpoints', message: `An account has at most ${MAX_PER_ACCOUNT} webhook endpoints.` });
