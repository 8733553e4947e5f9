import type { EventEnvelope } from '@parlance/event-bus';
import type { Clock, IdGenerator } from '@parlance/platform';
import type { JobErasures } from '@parlance/runtime';
import type { Deliveries } from './deliveries.js';
import { receiverId, type Receivers } from './receivers.js';
import { WEBHOOK_TYPES, webhookPayload, type AnnouncedType } from './webhook-payload.js';

export interface DeliveryIntakeOptions {
  deliveries: Deliveries;
  receivers: Receivers;
  erasures: JobErasures;
  clock: Clock;
  ids: IdGenerator;
  /** Called when a delivery is due. */
  wake: () => void;
}

/** Turns job events into stored deliveries, one an event, however often the event comes. */
export class DeliveryIntake {
  constructor(private readonly options: DeliveryIntakeOptions) {}

  async announce({ id: eventId, type, time, data }: EventEnvelope<AnnouncedType>): Promise<void> {
    const { deliveries, receivers, erasures, clock, ids, wake } = this.options;
    const { jobId, accountId, sequence, callbackUrl: url } = data;
    if (!url || (await erasures.has(jobId))) return;
    const now = clock.now().toISOString();
    const receiver = receiverId(accountId, url);
    await deliveries.add({
      id: ids.next('dlv'),
      createdAt: now,
      accountId,
      jobId,
      eventId,
      eventType: WEBHOOK_TYPES[type],
      sequence,
      url,
      receiverId: receiver,
      body: webhookPayload(type, time, data),
      status: 'pending',
      nextAttemptAt: now,
      tried: false,
      tries: 0,
      redelivery: false,
      gone: false,
      attempts: [],
    });
    await receivers.expect(receiver);
    wake();
  }
}
