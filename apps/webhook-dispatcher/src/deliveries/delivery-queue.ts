import { Inject, Injectable } from '@nestjs/common';
import { inTrace, type Clock } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import type { Stored } from '@parlance/storage';
import type { NewTask, TaskQueue } from '@parlance/task-queue';
import { WebhookEndpoints } from '../endpoints/webhook-endpoints.js';
import { Deliveries } from './deliveries.js';
import { movedTo, partsOfReceiverId, receiverId, redelivered, type WebhookDelivery } from './delivery.js';

export const WEBHOOK_QUEUE = 'webhooks';

/** Within that time a process that dies in between is replaced. */
const SAFETY_MS = 60_000;

/** The receivers that have deliveries due: a task each, so that each is served by one worker at a time. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(Deliveries) private readonly deliveries: Deliveries,
    @Inject(WebhookEndpoints) private readonly endpoints: WebhookEndpoints,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** To be called when deliveries to the receivers are stored. */
  wake(receiverIds: readonly string[], notBefore?: Date): Promise<void> {
    // A receiver's task is part of no job's trace; the attempts are.
    return inTrace(undefined, () => this.tasks.wake(WEBHOOK_QUEUE, [...new Set(receiverIds)].map((id) => receiverTask(id, notBefore))));
  }

  /** Removes the tasks of the account's endpoints, whose deliveries go with the account. A task of any other receiver ends by itself when its time comes. */
  async removeOf(accountId: string): Promise<void> {
    for (const { url } of await this.endpoints.of(accountId)) await this.tasks.removeGroup(WEBHOOK_QUEUE, receiverId(accountId, url));
  }

  /**
   * Makes a delivery due, under the id of its event, with the whole schedule, where its endpoint is now.
   * @param nextAttemptAt `AT_ONCE`, or now by default
   * @returns undefined when it was erased meanwhile
   */
  async redeliver(stored: Stored<WebhookDelivery>, nextAttemptAt?: string): Promise<WebhookDelivery | undefined> {
    const { accountId, endpointId, url } = stored.document;
    const endpoint = endpointId === undefined ? undefined : await this.endpoints.find(accountId, endpointId);
    const now = this.clock.now().toISOString();
    return this.move(stored, endpoint?.url ?? url, (current) => redelivered(current, now, nextAttemptAt));
  }

  /**
   * Sends a delivery that is pending after the change to that address from now on. The receiver is woken before as well, a while
   * ahead: a process that dies between the two writes leaves no delivery behind.
   */
  async move(stored: Stored<WebhookDelivery>, url: string, change = (current: WebhookDelivery) => current): Promise<WebhookDelivery | undefined> {
    const receiver = receiverId(stored.document.accountId, url);
    await this.wake([receiver], new Date(this.clock.now().getTime() + SAFETY_MS));
    const changed = await this.deliveries.change(stored, (current) => {
      const after = change(current);
      return after.status === 'pending' ? movedTo(after, url) : after;
    });
    await this.wake([receiver]);
    return changed?.after;
  }
}

/** The receiver, which is its group, has something due; what it is, the stored deliveries say. */
function receiverTask(receiver: string, notBefore: Date | undefined): NewTask {
  const { accountId } = partsOfReceiverId(receiver);
  return { id: receiver, accountId, group: receiver, payload: null, ...(notBefore && { notBefore }) };
}
