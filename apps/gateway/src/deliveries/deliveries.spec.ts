import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { webhook } from '@parlance/contracts';
import { GatewayHarness } from '../../test/gateway-harness.js';

describe('webhook deliveries over HTTP', () => {
  let gateway: GatewayHarness;
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  it('are listed with their attempts and can be sent again', async () => {
    const jobId = await gateway.submit({ callback_url: 'https://example.org/hook' });
    const attemptedAt = new Date('2026-01-01T00:00:00.000Z');
    gateway.services.deliveries.push(
      webhook.Delivery.fromPartial({
        deliveryId: 'dlv_1',
        eventId: 'evt_1',
        eventType: 'transcription.started',
        url: 'https://example.org/hook',
        status: webhook.DeliveryStatus.DELIVERY_STATUS_PENDING,
        nextAttemptAt: new Date('2026-01-01T00:00:05.000Z'),
        attempts: [{ attemptedAt, statusCode: 500, latencyMs: 12.5, responseBody: 'oops' }],
        jobId,
      }),
    );
    const delivery = {
      delivery_id: 'dlv_1',
      event_id: 'evt_1',
      event_type: 'transcription.started',
      url: 'https://example.org/hook',
      status: 'pending',
      next_attempt_at: '2026-01-01T00:00:05.000Z',
      attempts: [{ attempted_at: '2026-01-01T00:00:00.000Z', status_code: 500, latency_ms: 12.5, response_body: 'oops' }],
    };
    expect((await gateway.call('GET', `/transcriptions/${jobId}/deliveries`)).body).toEqual({ data: [delivery], next_cursor: null });
    expect(await gateway.call('POST', '/deliveries/dlv_1/redeliver')).toMatchObject({ status: 202, body: delivery });
    expect((await gateway.call('POST', '/deliveries/dlv_2/redeliver')).status).toBe(404);
  });

  it('are signed with a secret that can be read and rotated, and is never cached', async () => {
    const before = await gateway.call('GET', '/webhook-secret');
    expect(before.body).toEqual({ secret: 'whsec_c2VjcmV0' });
    expect(before.headers.get('cache-control')).toBe('no-store');
    expect(await gateway.call('POST', '/webhook-secret/rotate')).toMatchObject({ status: 201, body: { secret: 'whsec_bmV3ZXI=', previous_expires_at: expect.any(String) } });
  });
});
