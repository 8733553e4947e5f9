import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EngineGate, type StageStores } from '@parlance/stage/contract';
import { eventually } from '@parlance/testing';
import { LostOrders } from '../src/summaries/lost-orders.js';
import { SummaryOrderWorker } from '../src/summaries/summary-order-worker.js';
import { SummaryOrders } from '../src/summaries/summary-orders.js';
import { SUMMARY_ORDERS } from '../src/work/summary-holdings.js';
import { WorkDocuments } from '../src/work/work-documents.js';
import { summaryApplication } from './stage-under-test.js';

const MINUTE_MS = 60_000;
const order = (summaryId: string) => ({ jobId: 'job_1', accountId: 'acc_1', summaryId, format: 'brief', template: undefined, instructions: undefined, language: undefined });

export function describeLostOrders(name: string, openStores: () => Promise<StageStores>): void {
  describe(name, () => {
    let stores: StageStores;
    let opened: AsyncDisposableStack;
    let engine: EngineGate;
    let now: number;
    let summaries: { orders: SummaryOrders; lost: LostOrders; documents: WorkDocuments; worker: SummaryOrderWorker };

    beforeEach(async () => {
      opened = new AsyncDisposableStack();
      stores = await openStores();
      opened.defer(() => stores.close());
      engine = new EngineGate();
      now = Date.parse('2026-11-24T10:00:00Z');
      const app = await summaryApplication(stores, engine, { now: () => new Date(now) });
      opened.defer(() => app.close());
      summaries = { orders: app.get(SummaryOrders), lost: app.get(LostOrders), documents: app.get(WorkDocuments), worker: app.get(SummaryOrderWorker) };
    });
    afterEach(async () => {
      engine.releaseAll();
      await opened.disposeAsync();
    });

    const statusOf = async (id: string) => (await summaries.documents.summaries.get(id))?.document.status;
    const waiting = async () => (await stores.tasks.backlog(SUMMARY_ORDERS)).waiting;

    it('an order whose event is lost is carried out within 5 minutes', async () => {
      await summaries.orders.create(order('sum_1'));
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(0);
      now += 4 * MINUTE_MS;
      await summaries.lost.addAgain();
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(1);

      engine.releaseAll();
      const working = await stores.tasks.work(summaries.worker.worker());
      await eventually('the summary', async () => (await statusOf('sum_1')) === 'completed');
      await working.close();
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(0);
    });

    it('an order whose task is lost while it runs is carried out', async () => {
      await summaries.orders.create(order('sum_1'));
      await summaries.documents.summaries.update('sum_1', (current) => current && { document: { ...current, status: 'running' } });
      now += 4 * MINUTE_MS;
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(1);
    });

    it('an order whose task is dead is carried out', async () => {
      await summaries.orders.create(order('sum_1'));
      await summaries.orders.requested({ summaryId: 'sum_1', jobId: 'job_1', accountId: 'acc_1' });
      // As a defect in reporting its failure does.
      const perform = () => Promise.reject(new Error('a defect'));
      const failing = await stores.tasks.work({ queue: SUMMARY_ORDERS, capacity: 1, deadlineMs: MINUTE_MS, retry: { maxAttempts: 1, initialDelayMs: 1, maxDelayMs: 1 }, perform });
      await eventually('the dead task', async () => (await stores.tasks.backlog(SUMMARY_ORDERS)).dead === 1);
      await failing.close();
      now += 4 * MINUTE_MS;
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(1);
      expect(await stores.tasks.deadTasks.list()).toEqual([]);
    });

    it('the summary of the stage is left to ingest, and an order of an erased job is gone', async () => {
      await summaries.orders.create(order('sum_1'));
      await summaries.documents.summaries.update('sum_1', (current) => current && { document: { ...current, isDefault: true } });
      await summaries.orders.create(order('sum_2'));
      await summaries.documents.summaries.remove('sum_2');
      now += 4 * MINUTE_MS;
      await summaries.lost.addAgain();
      expect(await waiting()).toBe(0);
    });
  });
}
