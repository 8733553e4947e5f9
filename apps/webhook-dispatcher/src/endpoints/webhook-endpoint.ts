import { hash } from 'node:crypto';
import { WEBHOOK_CONTENTS, type common, type SubscribableType, type WebhookContent, type WebhookType } from '@parlance/contracts';
import type { Outcome } from '../deliveries/delivery.js';
import type { StoredSecret } from '../secrets/signing-secret.js';

interface EndpointHeaders {
  names: string[];
  sealed: string;
}

/** An account-wide receiver of the event types that it names. */
export interface WebhookEndpoint {
  id: string;
  createdAt: string;
  url: string;
  eventTypes: SubscribableType[];
  enabled: boolean;
  /** Sent with its webhooks. The values are sealed JSON. */
  headers?: EndpointHeaders | undefined;
  /** Contents that its webhooks have. */
  include?: WebhookContent[] | undefined;
  /** Its own. Endpoints stored before endpoints had one have none until the first rotation: the account's secret signs for them. */
  secret?: StoredSecret;
  /** Time of the first attempt since which all have failed. */
  failingSince?: string;
  /** By Parlance, not by its owner, for nothing but failures for days, or an answer 410. */
  disabled?: { at: string; reason: 'failing' | 'gone' };
}

/** An endpoint is given up when it has done nothing but fail for so long. */
const DISABLED_AFTER_MS = 5 * 24 * 3600 * 1000;

export const wants = ({ enabled, eventTypes }: WebhookEndpoint, type: WebhookType): boolean =>
  enabled && (eventTypes as readonly WebhookType[]).includes(type);

/** A gateway of the next version may name others. */
export const knownContents = (given: common.WebhookContents = { names: [] }): WebhookContent[] => WEBHOOK_CONTENTS.filter((content) => given.names.includes(content));

/** The endpoint after an attempt; the same object when nothing changes. */
export function endpointAfter(endpoint: WebhookEndpoint, outcome: Outcome, now: Date): WebhookEndpoint {
  if (!endpoint.enabled) return endpoint;
  const { failingSince, ...healthy } = endpoint;
  const at = now.toISOString();
  if (outcome === 'delivered') return failingSince === undefined ? endpoint : healthy;
  if (outcome === 'gone') return { ...endpoint, enabled: false, disabled: { at, reason: 'gone' } };
  if (failingSince === undefined) return { ...endpoint, failingSince: at };
  const isGivenUp = now.getTime() - Date.parse(failingSince) >= DISABLED_AFTER_MS;
  return isGivenUp ? { ...endpoint, enabled: false, disabled: { at, reason: 'failing' } } : endpoint;
}

/** Another text for each state of what its owner sees of it. */
export const revisionOf = ({ url, eventTypes, enabled, failingSince, disabled, headers, include }: WebhookEndpoint): string =>
  hash('sha1', JSON.stringify([url, eventTypes, enabled, failingSince, disabled, headers, include]), 'base64url');

/** The part that its owner decides. */
export type EndpointSettings = Pick<WebhookEndpoint, 'url' | 'eventTypes' | 'enabled' | 'headers' | 'include'>;
/** Absent or undefined: as it is. */
export type EndpointChanges = { [Name in keyof EndpointSettings]?: EndpointSettings[Name] | undefined };

/** Enabling one, or giving it another address, gives it a new start. Its headers were given for its origin. */
export function withChanges(endpoint: WebhookEndpoint, changes: EndpointChanges): WebhookEndpoint {
  const { url = endpoint.url, eventTypes = endpoint.eventTypes, enabled = endpoint.enabled, include = endpoint.include } = changes;
  const { headers = URL.parse(url)?.origin === URL.parse(endpoint.url)?.origin ? endpoint.headers : undefined } = changes;
  const changed = { ...endpoint, url, eventTypes, enabled, headers, include };
  const { failingSince: _since, disabled: _disabled, ...fresh } = changed;
  return enabled && (!endpoint.enabled || url !== endpoint.url) ? fresh : changed;
}
