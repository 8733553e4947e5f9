import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { silentLogger, systemClock, ulidGenerator } from '@parlance/platform';
import { openDocumentDatabase } from '@parlance/storage';
import { openTaskQueue } from '@parlance/task-queue';
import type { WebhookDelivery } from '@parlance/webhook-dispatcher/operators';
import * as runs from '../../test/admin-runs.js';

const failed = (id: string, createdAt: string): WebhookDelivery => ({
  id, createdAt, accountId: 'acc_1', jobId: 'job_1', endpointId: 'whe_1', eventId: `evt_${id}`, eventType: 'transcription.completed', sequence: 3, destination: 1,
  url: 'https://receiver.example/', receiverId: 'acc_1 https://receiver.example path', body: '{}', status: 'failed', nextAttemptAt: createdAt, roundAt: createdAt, tries: 10, redelivery: false, gone: false, holds: false,
  attempts: [{ attemptedAt: createdAt, statusCode: 500, error: 'The receiver answered 500.', latencyMs: 7, responseBody: '' }],
});

describe('parlance-admin webhooks', () => {
  it('lists what was given up, and sends it again, of an endpoint or a job and by time', async () => {
    await using opened = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'parlance-admin-'));
    opened.defer(() => rm(folder, { recursive: true }));
    await mkdir(join(folder, 'documents'));
    const documents = await openDocumentDatabase(`sqlite:${join(folder, 'documents', 'webhook-dispatcher.db')}`, { clock: systemClock, ids: ulidGenerator(), log: silentLogger(), source: 'webhook-dispatcher' });
    opened.defer(() => documents.close());
    const deliveries = documents.collection<WebhookDelivery>({ name: 'deliveries', indexes: [{ fields: ['endpointId'] }] });
    for (const day of [1, 2, 3]) await deliveries.insert(failed(`dlv_${day}`, `2026-03-0${day}T09:00:00.000Z`));
    const admin = (...args: string[]) => runs.admin(['webhooks', ...args], { PARLANCE_DATA: folder });

    const found = JSON.parse((await admin('failed', '--endpoint', 'whe_1', '--json')).stdout) as unknown[];
    expect(found).toMatchObject([1, 2, 3].map((day) => ({ delivery_id: `dlv_${day}`, event_type: 'transcription.completed', attempts: 1, error: 'The receiver answered 500.' })));
    expect((await admin('failed', '--job', 'job_1', '--limit', '1')).stdout).toMatch(/dlv_1 .*The receiver answered 500\./);
    expect((await admin('resend', '--endpoint', 'whe_1', '--from', '2026-03-02', '--dry-run')).stdout).toContain('would resend 2 webhooks');
    expect(JSON.parse((await admin('resend', '--endpoint', 'whe_1', '--from', '2026-03-02', '--to', '2026-03-03T00:00:00Z', '--json')).stdout)).toEqual({ resent: 1 });
    expect((await deliveries.find()).items.map(({ document }) => [document.id, document.status]).toSorted()).toEqual([['dlv_1', 'failed'], ['dlv_2', 'pending'], ['dlv_3', 'failed']]);
    // Its receiver is due for the worker that serves it.
    const tasks = await openTaskQueue(`sqlite:${join(folder, 'tasks.db')}`, { clock: systemClock, log: silentLogger() });
    opened.defer(() => tasks.close());
    expect(await tasks.backlog('webhooks')).toMatchObject({ waiting: 1 });
  });

  it('says what is wrong with the question', async () => {
    for (const args of [['resend'], ['resend', '--endpoint', 'whe_1', '--job', 'job_1'], ['failed', '--job', 'job_1', '--from', 'yesterday']]) {
      expect((await runs.admin(['webhooks', ...args], {})).code).toBe(2);
    }
  });
});
