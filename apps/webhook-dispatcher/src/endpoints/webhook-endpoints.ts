import { Inject, Injectable } from '@nestjs/common';
import type { NewEvent } from '@parlance/contracts';
import { AppError, notFound, requireMatch, type Clock, type IdGenerator } from '@parlance/platform';
import { CLOCK, DOCUMENTS, ID_GENERATOR } from '@parlance/runtime';
import { type Document, type DocumentCollection, type DocumentDatabase, ownerOfAccountDocument } from '@parlance/storage';
import type { Outcome } from '../deliveries/delivery.js';
import { newSecret, rotatedSecret, type RotationOptions, type StoredSecret } from '../secrets/signing-secret.js';
import { endpointAfter, revisionOf, withChanges, type EndpointChanges, type EndpointSettings, type WebhookEndpoint } from './webhook-endpoint.js';

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
    this.collection = documents.collection<EndpointList>({
      name: 'webhook_endpoints',
      data: { what: 'addresses that receive webhooks, their headers', purpose: 'to send webhooks', kept: 'with the account' },
      account: 'id',
      indexes: [],
      sealed: { fields: ['endpoints'], owner: ownerOfAccountDocument },
    });
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

  /** @param id empty: a new one; an endpoint that has it already is returned as it is. @throws AppError too_many_endpoints */
  async create(accountId: string, given: EndpointSettings, id = ''): Promise<WebhookEndpoint & { secret: StoredSecret }> {
    const endpoint = { id: id === '' ? this.ids.next('whe') : id, createdAt: this.clock.now().toISOString(), ...given, secret: { secret: newSecret() } };
    const { stored } = await this.collection.update(accountId, (current) => {
      const endpoints = current?.endpoints ?? [];
      if (endpoints.some((each) => each.id === endpoint.id)) return undefined;
      if (endpoints.length >= MAX_PER_ACCOUNT) throw tooMany();
      return { document: { id: accountId, createdAt: current?.createdAt ?? endpoint.createdAt, endpoints: [...endpoints, endpoint] } };
    });
    return { ...endpoint, ...stored?.document.endpoints.find((each) => each.id === endpoint.id) };
  }

  /** @param ifMatch revisions of which the endpoint must have one; empty: any. @throws AppError not_found, precondition_failed */
  async change(accountId: string, id: string, changes: EndpointChanges, ifMatch: readonly string[] = []): Promise<WebhookEndpoint> {
    const changed = await this.replace(accountId, id, (endpoint) => {
      requireMatch(ifMatch, revisionOf(endpoint));
      return withChanges(endpoint, changes);
    });
    return required(changed);
  }

  /** An endpoint that shares the account's secret gets its own. @throws AppError not_found */
  async rotateSecret(accountId: string, id: string, options: RotationOptions): Promise<StoredSecret> {
    const now = this.clock.now();
    const rotated = await this.replace(accountId, id, (endpoint) => ({ ...endpoint, secret: rotatedSecret(endpoint.secret, now, options, true) }));
    return required(rotated).secret;
  }

  /** @throws AppError not_found */
  async delete(accountId: string, id: string): Promise<void> {
    await this.collection.update(accountId, (current) => {
      const endpoints = current?.endpoints.filter((endpoint) => endpoint.id !== id);
      if (!current || endpoints?.length === current.endpoints.length) throw notFound('The endpoint');
      return { document: { ...current, endpoints: endpoints ?? [] } };
    });
  }

  /** Updates the endpoint after an attempt, unless it has another address by now. */
  async attempted(accountId: string, { id, url }: Pick<WebhookEndpoint, 'id' | 'url'>, outcome: Outcome): Promise<void> {
    const now = this.clock.now();
    const change = (endpoint: WebhookEndpoint) => (endpoint.url === url ? endpointAfter(endpoint, outcome, now) : endpoint);
    const known = await this.find(accountId, id);
    // Most attempts change nothing, and need no write transaction.
    if (known && change(known) !== known) await this.replace(accountId, id, change);
  }

  /** Publishes an event when the change disables the endpoint. @returns undefined when there is no such endpoint */
  private async replace<T extends WebhookEndpoint>(accountId: string, id: string, change: (endpoint: WebhookEndpoint) => T): Promise<T | undefined> {
    let changed: T | undefined;
    await this.collection.update(accountId, (current) => {
      const before = current?.endpoints.find((endpoint) => endpoint.id === id);
      const after = before && change(before);
      changed = after;
      if (!current || !before || !after || after === before) return undefined;
      const endpoints = current.endpoints.map((endpoint) => (endpoint === before ? after : endpoint));
      return { document: { ...current, endpoints }, events: after.disabled && !before.disabled ? [disabledEvent(accountId, after, after.disabled)] : [] };
    });
    return changed;
  }
}

function disabledEvent(accountId: string, { id, url, failingSince }: WebhookEndpoint, { at, reason }: NonNullable<WebhookEndpoint['disabled']>): NewEvent {
  const since = failingSince === undefined ? undefined : new Date(failingSince);
  return { type: 'webhook.endpoint_disabled', data: { accountId, endpointId: id, url, reason, failingSince: since, disabledAt: new Date(at) } };
}

function required<T extends WebhookEndpoint>(endpoint: T | undefined): T {
  if (!endpoint) throw notFound('The endpoint');
  return endpoint;
}

const tooMany = () =>
  new AppError({ kind: 'conflict', code: 'too_many_endpoints', message: `An account has at most ${MAX_PER_ACCOUNT} webhook endpoints.` });
