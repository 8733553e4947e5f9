import { inTrace, type Clock, type Logger } from '@parlance/platform';
import { ENDPOINT_TEST } from '@parlance/contracts';
import type { Stored } from '@parlance/storage';
import type { WebhookEndpoint } from '../endpoints/webhook-endpoint.js';
import type { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import type { WebhookSender } from '../sending/webhook-sender.js';
import { afterTryOf, isOpen, type Circuit, type TryEnd } from './circuit.js';
import type { Deliveries } from './deliveries.js';
import { abandoned, afterAttempt, isToCallback, type AttemptResult, type WebhookDelivery } from './delivery.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { HeldLine } from './held-line.js';
import { OfferedDelivery } from './offered-delivery.js';
import { receiverId } from './receiver-id.js';
import type { ReceiverLease, Receivers } from './receivers.js';
import { nextDelayMs, roundMs } from './retry-schedule.js';

/** Requests to one receiver at the same time. */
const PER_RECEIVER = 2;
/** Due deliveries that are read at once. */
const LOOK_AHEAD = 40;
/** The same when others wait for a turn. */
const LOOK_AHEAD_IN_A_CROWD = 8;
/** A turn begins no try later than that: its lease is made for it. */
const TURN_MS = 3_000;
/** What comes so soon behind the last one is sent in the same turn, which spares it the way through the line. */
const LINGER_MS = 300;
/** In between it is seen whether others wait for a turn. */
const LINGER_STEP_MS = 50;
/** What was stored here is handed over; what other replicas stored is read so often. */
const READ_EVERY_MS = 500;

export interface ReceiverTurnsOptions {
  deliveries: Deliveries;
  endpoints: WebhookEndpoints;
  receivers: Receivers;
  sender: WebhookSender;
  metrics: DeliveryMetrics;
  clock: Clock;
  log: Logger;
  /** 0 ≤ random < 1. */
  random: () => number;
  scheduleSeconds: readonly number[];
}

type StoredDelivery = Stored<WebhookDelivery>;

export type Renew = (lease: ReceiverLease, circuit: Circuit | undefined) => Promise<ReceiverLease | undefined>;

/** By job. */
interface Due {
  groups: StoredDelivery[][];
  /** Nothing else is due. */
  isAll: boolean;
}

const GONE = 'The address answered 410 to another webhook of this job.';
const NO_ENDPOINT = 'The endpoint is disabled, or was deleted.';
const TOO_OLD = 'The receiver did not recover before the last time of the schedule.';

/** Serves one receiver while its lease is held. */
export class ReceiverTurns {
  constructor(private readonly options: ReceiverTurnsOptions) {}

  /**
   * @param isAlone whether nobody else waits for a turn
   * @param renew gives another lease behind this one, if nothing came in between
   */
  async serve(lease: ReceiverLease, isAlone: () => boolean, renew: Renew): Promise<void> {
    const { deliveries, receivers, clock } = this.options;
    const line = new Line(lease, clock, isAlone);
    const probe = await this.probeOf(lease);
    if (probe) {
      line.unseen([probe]);
      await this.tryAll([[probe]], line);
    }
    if (!probe || (line.isClosed && line.hasTime)) await this.tryDue(line);
    const last = await this.goOn(lease, line, renew);
    await receivers.release(last, line.circuit, () => deliveries.nextDueAt(line.id));
  }

  /** As long as there is more to do, and nobody else waits for it. @returns the last lease */
  private async goOn(lease: ReceiverLease, line: Line, renew: Renew): Promise<ReceiverLease> {
    let current = lease;
    while (line.isClosed && line.isAlone && !line.hasTime) {
      const next = await renew(current, line.circuit);
      if (!next) break;
      current = next;
      line.beginAgain();
      await this.tryDue(line);
    }
    return current;
  }

  private async tryDue(line: Line): Promise<void> {
    for (let due: Due | undefined = await this.read(line); due; due = due.isAll ? await this.more(line) : await this.read(line)) {
      await this.tryAll(due.groups, line);
      if (!line.mayGoOn) return;
    }
  }

  /** What the receiver gets now: as much as is looked at, or one of each of two jobs when others wait, or one to see how it does. */
  private async read(line: Line): Promise<Due> {
    const isWide = line.mayGoOn;
    const limit = isWide ? LOOK_AHEAD : LOOK_AHEAD_IN_A_CROWD;
    const due = await this.options.deliveries.due(line.id, limit);
    line.hasRead(due);
    const groups = byJob(due);
    const isNarrow = !isWide && line.isClosed;
    return { groups: isNarrow ? firstOfTwo(groups) : groups, isAll: isWide && due.length < limit };
  }

  /** What comes after all was tried that was there; undefined when nothing does for a while. */
  private async more(line: Line): Promise<Due | undefined> {
    for (let waited = 0; waited < LINGER_MS && line.mayGoOn; waited += LINGER_STEP_MS) {
      if (line.readAgo > READ_EVERY_MS) {
        const due = await this.read(line);
        if (due.groups.length > 0) return due;
      }
      const news = await line.held.hears(LINGER_STEP_MS);
      if (news === 'unread') return this.read(line);
      const unseen = news && line.unseen(news);
      if (unseen && unseen.length > 0) return { groups: byJob(unseen), isAll: true };
    }
    return undefined;
  }

  /** What the owner waits for. */
  private async probeOf({ document: { id, probe } }: ReceiverLease): Promise<StoredDelivery | undefined> {
    const stored = probe === undefined ? undefined : await this.options.deliveries.get(probe);
    return stored?.document.status === 'pending' && stored.document.receiverId === id ? stored : undefined;
  }

  /** Before an event's first try comes that of the job's earlier events. */
  private async inOrder(due: StoredDelivery): Promise<StoredDelivery | undefined> {
    const { jobId, url, tried, redelivery, sequence } = due.document;
    if (jobId === undefined || tried || sequence <= 1) return due;
    const first = await this.options.deliveries.firstHolding(jobId, url);
    if (first?.document.gone) return redelivery ? due : this.giveUp(due, GONE);
    return first ?? due;
  }

  /** Gives up what nobody wants any more. @param isProbing the receiver was left alone for a while, and the time of what waited may be over */
  private async unlessVain(next: StoredDelivery, isProbing: boolean): Promise<StoredDelivery | undefined> {
    const { clock, scheduleSeconds } = this.options;
    const { redelivery, roundAt, accountId, endpointId, isCallback, url } = next.document;
    if (redelivery) return next;
    if (isProbing && clock.now().getTime() > Date.parse(roundAt) + roundMs(scheduleSeconds)) return this.giveUp(next, TOO_OLD);
    if (endpointId === undefined || isCallback) return next;
    const endpoint = await this.endpointOf(accountId, endpointId);
    if (!endpoint?.enabled) return this.giveUp(next, NO_ENDPOINT);
    return endpoint.url === url ? next : this.move(next, endpoint);
  }

  private async endpointOf(accountId: string, endpointId: string): Promise<WebhookEndpoint | undefined> {
    return (await this.options.endpoints.of(accountId)).find(({ id }) => id === endpointId);
  }

  /** To where its endpoint is now: it is tried there. */
  private async move(next: StoredDelivery, { url }: WebhookEndpoint): Promise<undefined> {
    const { deliveries, receivers } = this.options;
    // Before as well: after a crash in between, nothing but the receiver's next event would tell of it.
    await receivers.expect(receiverId(next.document.accountId, url));
    const moved = await deliveries.move(next, url);
    if (moved?.status === 'pending') await receivers.expect(moved.receiverId);
  }

  private async giveUp(delivery: StoredDelivery, why: string): Promise<undefined> {
    const after = await this.options.deliveries.change(delivery, (current) => (current.status === 'pending' ? abandoned(current, why) : current));
    this.options.metrics.settled(after);
  }

  /** At most two at once, of a job one after the other; after the first of each none is begun that the circuit or the time no longer allows. */
  private async tryAll(groups: readonly StoredDelivery[][], line: Line): Promise<void> {
    const waiting = [...groups];
    const workers = line.isClosed ? Math.min(PER_RECEIVER, groups.length) : 1;
    const work = async () => {
      let isFirst = true;
      const mayBegin = () => {
        const may = isFirst || line.mayGoOn;
        isFirst = false;
        return may;
      };
      for (let group = waiting.shift(); group; group = waiting.shift()) await this.tryGroup(group, line, mayBegin);
    };
    await Promise.all(Array.from({ length: workers }, work));
    for (const each of groups.flat()) if (each instanceof OfferedDelivery) each.decline();
  }

  private async tryGroup(group: readonly StoredDelivery[], line: Line, mayBegin: () => boolean): Promise<void> {
    const tried = new Set<string>();
    for (const due of group) {
      if (tried.has(due.document.id)) continue;
      const ordered = line.follows(due.document) ? due : await this.inOrder(due);
      const next = ordered && (await this.unlessVain(ordered, !line.isClosed));
      if (!next) continue;
      if (!mayBegin()) return;
      const end = await this.attempt(next);
      line.add(end, next.document);
      tried.add(next.document.id);
      if (end.outcome === 'answered') return;
    }
  }

  private attempt(stored: StoredDelivery): Promise<TryEnd> {
    return inTrace(stored.document.traceparent, () => this.attemptInTrace(stored));
  }

  private async attemptInTrace(stored: StoredDelivery): Promise<TryEnd> {
    const { deliveries, endpoints, sender, metrics, clock, log, random } = this.options;
    const delivery = stored.document;
    const result = await sender.send(delivery);
    const now = clock.now();
    const after = await deliveries.change(stored, (current) => afterAttempt(current, result, now, (tries) => this.delayMs(current, tries, result)));
    if (delivery.endpointId !== undefined && !isFailedTest(delivery, result)) {
      await endpoints.tried(delivery.accountId, { id: delivery.endpointId, url: delivery.url }, result.outcome);
    }
    if (result.outcome === 'gone' && isToCallback(delivery)) await this.abandonOthers(delivery);
    metrics.observe(result, after);
    const { jobId: job_id, accountId: account_id, eventId: event_id, eventType: event_type, id: delivery_id } = delivery;
    const { statusCode: status_code, error, latencyMs: latency_ms } = result.attempt;
    log.info({ job_id, account_id, event_id, event_type, delivery_id, status_code, error, latency_ms, status: after?.status }, 'webhook tried');
    return { outcome: HEALTH[result.outcome], now, random: random() };
  }

  private async abandonOthers({ id, jobId, url }: WebhookDelivery): Promise<void> {
    const { deliveries } = this.options;
    if (jobId === undefined) return;
    for (const other of await deliveries.pendingTo(jobId, url)) {
      if (other.document.id === id || !isToCallback(other.document) || other.document.redelivery) continue;
      await this.giveUp(other, GONE);
    }
  }

  private delayMs({ eventType }: WebhookDelivery, tries: number, { retryAfterSeconds }: AttemptResult): number | undefined {
    if (eventType === ENDPOINT_TEST) return undefined;
    const { scheduleSeconds, random } = this.options;
    return nextDelayMs({ tries, scheduleSeconds, random: random(), retryAfterSeconds });
  }
}

const HEALTH = { delivered: 'well', retry: 'failed', gone: 'answered', refused: 'answered' } as const satisfies Record<AttemptResult['outcome'], TryEnd['outcome']>;

/** As of a receiver that is not there yet: no event of the account has failed. */
const isFailedTest = ({ eventType }: WebhookDelivery, { outcome }: AttemptResult): boolean => eventType === ENDPOINT_TEST && outcome !== 'delivered' && outcome !== 'gone';

/** By job and address, each in the order of its events. */
function byJob(due: readonly StoredDelivery[]): StoredDelivery[][] {
  const groups = new Map<string, StoredDelivery[]>();
  for (const each of due) {
    const key = jobLine(each.document);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.document.sequence - b.document.sequence));
}

const firstOfTwo = (groups: readonly StoredDelivery[][]): StoredDelivery[][] => groups.slice(0, PER_RECEIVER).map((group) => group.slice(0, 1));

const jobLine = ({ id, jobId = id, url }: WebhookDelivery): string => `${jobId} ${url}`;

/** How the receiver does while it is served. */
class Line {
  /** By job and address, the place among the job's events of the one that was tried last. */
  private readonly lastTried = new Map<string, number>();
  private readonly seen = new Set<string>();
  private readAt = performance.now();
  private until: number;
  readonly id: string;
  readonly held: HeldLine;
  circuit: Circuit | undefined;

  /** @param nobodyWaits whether nobody else waits for a turn */
  constructor(
    { document, held }: ReceiverLease,
    private readonly clock: Clock,
    private readonly nobodyWaits: () => boolean,
  ) {
    this.id = document.id;
    this.held = held;
    this.circuit = document.circuit;
    this.until = this.endOfTurn();
  }

  get isClosed(): boolean {
    return !isOpen(this.circuit);
  }

  get isAlone(): boolean {
    return this.nobodyWaits();
  }

  get hasTime(): boolean {
    return this.clock.now().getTime() < this.until;
  }

  /** Whether the turn may begin more tries than it has to. */
  get mayGoOn(): boolean {
    return this.isClosed && this.hasTime && this.isAlone;
  }

  /** With a new lease; what was tried in the one before is read, if anything is left of it. */
  beginAgain(): void {
    this.until = this.endOfTurn();
    this.lastTried.clear();
    this.seen.clear();
    this.held.forgetStored();
  }

  private endOfTurn(): number {
    return this.clock.now().getTime() + TURN_MS;
  }

  /** Milliseconds since all that is stored was looked at. */
  get readAgo(): number {
    return performance.now() - this.readAt;
  }

  hasRead(due: readonly StoredDelivery[]): void {
    this.readAt = performance.now();
    this.unseen(due);
  }

  /** Without those that had their try in this turn. */
  unseen(news: readonly StoredDelivery[]): StoredDelivery[] {
    const unseen = news.filter(({ document }) => !this.seen.has(document.id));
    for (const { document } of news) this.seen.add(document.id);
    return unseen;
  }

  add(end: TryEnd, tried: WebhookDelivery): void {
    this.circuit = afterTryOf(this.circuit, end);
    // An address that is gone is to be asked for by the job's next event.
    if (end.outcome === 'answered') this.lastTried.delete(jobLine(tried));
    else this.lastTried.set(jobLine(tried), tried.sequence);
  }

  /** Whether the job's events up to this one are known to be tried, as the one before it was in this turn. */
  follows(next: WebhookDelivery): boolean {
    return this.lastTried.get(jobLine(next)) === next.sequence - 1;
  }
}
