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
    gateway.services.webhooks.deliveries.push(
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
      job_id: jobId,
      url: 'https://example.org/hook',
      status: 'pending',
      next_attempt_at: '2026-01-01T00:00:05.000Z',
      attempts: [{ attempted_at: '2026-01-01T00:00:00.000Z', status_code: 500, latency_ms: 12.5, response_body: 'oops' }],
    };
    expect((await gateway.call('GET', `/transcriptions/${jobId}/deliveries`)).body).toEqual({ data: [delivery], next_cursor: null });
    expect((await gateway.call('GET', '/deliveries/dlv_1')).body).toEqual(delivery);
    expect(await gateway.call('POST', '/deliveries/dlv_1/redeliver')).toMatchObject({ status: 202, body: delivery });
    expect((await gateway.call('POST', '/deliveries/dlv_2/redeliver')).status).toBe(404);
  });

  it('are signed with a secret that can be read and rotated, and is never cached', async () => {
    const before = await gateway.call('GET', '/webhook-secret');
    expect(before.body).toEqual({ secret: 'whsec_c2VjcmV0', shared: true });
    expect(before.headers.get('cache-control')).toBe('no-store');
    expect(await gateway.call('POST', '/webhook-secret/rotate')).toMatchObject({ status: 201, body: { secret: 'whsec_bmV3ZXI=', previous_expires_at: expect.any(String) } });
    const revoked = await gateway.call('POST', '/webhook-secret/rotate', { json: { revoke_previous: true } });
    expect([revoked.status, revoked.body]).toEqual([201, { secret: 'whsec_bmV3ZXI=', shared: true }]);
  });

  it('are signed with a secret for each receiver, which is asked for by endpoint or by callback URL', async () => {
    const made = await gateway.call('POST', '/webhook-endpoints', { json: { url: 'https://example.org/own' } });
    expect(made.body).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { endpoint_id: id } = made.body as { endpoint_id: string };
    const read = await gateway.call('GET', `/webhook-endpoints/${id}/secret`);
    expect(read).toMatchObject({ status: 200, body: { secret: expect.stringContaining(` ${id}`), shared: false } });
    expect(read.headers.get('cache-control')).toBe('no-store');
    const rotated = await gateway.call('POST', `/webhook-endpoints/${id}/secret/rotate`, { json: { revoke_previous: true } });
    expect([rotated.status, rotated.body, rotated.headers.get('cache-control')]).toEqual([201, { secret: `whsec_bmV3ZXI= ${id}`, shared: false }, 'no-store']);

    const hook = 'https://example.org/hook';
    expect((await gateway.call('GET', `/webhook-secret?url=${encodeURIComponent(hook)}`)).body).toMatchObject({ secret: `whsec_bmV3ZXI= ${hook}` });
    expect((await gateway.call('POST', '/webhook-secret/rotate', { json: { url: hook } })).body).toMatchObject({ secret: `whsec_bmV3ZXI= ${hook}`, previous_expires_at: expect.any(String) });
    const { body: list } = await gateway.call('GET', '/webhook-endpoints');
    expect(JSON.stringify(list)).not.toContain('whsec_');
  });

  it('are made for account-wide endpoints too, whose addresses and types are checked', async () => {
    const create = (json: object) => gateway.call('POST', '/webhook-endpoints', { json });
    const made = await create({ url: 'https://example.org/all', event_types: ['transcription.failed'] });
    expect(made).toMatchObject({ status: 201, body: { endpoint_id: expect.stringMatching(/^whe_/), url: 'https://example.org/all', event_types: ['transcription.failed'], enabled: true } });
    expect(made.headers.get('location')).toBe(`/api/v1/webhook-endpoints/${(made.body as { endpoint_id: string }).endpoint_id}`);
    const { secret: _secret, ...endpoint } = made.body as Record<string, unknown>;
    expect((await gateway.call('GET', '/webhook-endpoints')).body).toEqual({ data: expect.arrayContaining([endpoint]), next_cursor: null });
    for (const [json, pointer, code] of [
      [{ url: 'http://169.254.169.254/' }, '/url', 'address_forbidden'],
      [{ url: 'https://me:secret@example.org/' }, '/url', 'invalid_url'],
      [{ url: 'https://example.org/', event_types: [] }, '/event_types', 'too_short'],
      [{ url: 'https://example.org/', event_types: ['transcription.lost'] }, '/event_types/0', 'invalid_value'],
      [{}, '/url', 'required'],
    ] as const) {
      expect(await create(json)).toMatchObject({ status: 422, body: { errors: [{ pointer, code }] } });
    }
    expect((await gateway.call('PATCH', '/webhook-endpoints/whe_1', { json: {} })).status).toBe(422);
  });

  it('of a time can be made again, once for a repeated call', async () => {
    const path = '/webhook-endpoints/whe_1/redeliveries';
    const again = (json: object) => gateway.call<{ redelivery_id: string }>('POST', path, { json, headers: { 'content-type': 'application/json', 'idempotency-key': 'again-1' } });
    const first = await again({ from: '2026-03-01', event_types: ['transcription.failed'] });
    expect(first).toMatchObject({ status: 202, body: { redelivery_id: expect.stringMatching(/^rdl_/), endpoint_id: 'whe_1', from: '2026-03-01T00:00:00.000Z', status: 'failed', state: 'processing', count: 0 } });
    expect(first.headers.get('location')).toBe(`/api/v1${path}/${first.body.redelivery_id}`);
    expect((await again({ from: '2026-03-01', event_types: ['transcription.failed'] })).body).toEqual(first.body);
    expect(gateway.services.webhooks.redeliveries).toMatchObject([{ redeliveryId: first.body.redelivery_id, all: false, eventTypes: ['transcription.failed'], to: undefined }]);
    expect(await gateway.call('POST', path, { json: { from: new Date(Date.now() + 3_600_000).toISOString() } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/from', code: 'invalid_value' }] } });
    for (const [from, code, detail] of [[7, 'invalid_type', 'This must be a string.'], ['soon', 'invalid_format', 'This must be a time such as 2026-03-01T09:30:00Z, or a date.']] as const) {
      expect(await gateway.call('POST', path, { json: { from } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/from', code, detail }] } });
    }
    expect(await gateway.call('POST', path, { json: { from: '2026-03-02', to: '2026-03-01' } })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/to' }] } });
  });

  it('can be replayed from the account’s events', async () => {
    const body = { type: 'transcription.started', timestamp: '2026-01-01T00:00:00.000Z', data: { job_id: 'job_1', sequence: 1 } };
    gateway.services.webhooks.events.push({ eventId: 'evt_1', body: JSON.stringify(body) }, { eventId: 'evt_2', body: JSON.stringify(body) });
    const page = await gateway.call('GET', '/events?limit=1');
    expect(page.body).toEqual({ data: [{ event_id: 'evt_1', ...body }], next_cursor: '1', has_more: true, retained_since: expect.any(String) });
    expect((await gateway.call('GET', '/events?after=1')).body).toMatchObject({ data: [{ event_id: 'evt_2' }], has_more: false });
  });
});
