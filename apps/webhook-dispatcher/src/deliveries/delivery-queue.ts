import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '@parlance/platform';
import { inTrace } from '@parlance/platform';
import { CLOCK, TASK_QUEUE } from '@parlance/runtime';
import type { NewTask, TaskQueue } from '@parlance/task-queue';
import { CircuitBreaker } from './circuit-breaker.js';
import type { WebhookDelivery } from './delivery.js';
import { partsOfReceiverId } from './receiver-id.js';

export const WEBHOOK_QUEUE = 'webhooks';

/** A receiver has something due; what it is, the stored deliveries say. */
export interface ReceiverTask {
  receiverId: string;
}

/** Within that time a process that dies in between is replaced. */
const SAFETY_MS = 60_000;

/** The receivers that have deliveries due: a task each, so that each is served by one worker at a time. */
@Injectable()
export class DeliveryQueue {
  constructor(
    @Inject(TASK_QUEUE) private readonly tasks: TaskQueue,
    @Inject(CircuitBreaker) private readonly circuits: CircuitBreaker,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** To be called when deliveries to the receivers are stored. */
  wake(receiverIds: readonly string[], notBefore?: Date): Promise<void> {
    // A receiver's task is part of no job's trace; its tries are.
    return inTrace(undefined, () => this.tasks.wake(WEBHOOK_QUEUE, [...new Set(receiverIds)].map((id) => receiverTask(id, notBefore))));
  }

  /** As `wake`, for one delivery that does not wait until the circuit of its receiver closes. */
  async sendNow({ id, receiverId }: WebhookDelivery): Promise<void> {
    await this.circuits.probe(receiverId, id);
    await this.wake([receiverId]);
  }

  /** For a change that makes a delivery due at the receiver: the receiver is looked at even when the process dies before it calls `wake`. */
  expect(receiverId: string): Promise<void> {
    return this.wake([receiverId], new Date(this.clock.now().getTime() + SAFETY_MS));
  }
}

function receiverTask(receiverId: string, notBefore: Date | undefined): NewTask<ReceiverTask> {
  const { accountId } = partsOfReceiverId(receiverId);
  return { id: receiverId, accountId, group: receiverId, payload: { receiverId }, ...(notBefore && { notBefore }) };
}
