import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { common, type events } from '@parlance/contracts';
import { systemClock } from '@parlance/platform';
import type { Document } from '@parlance/storage';
import { storesOnSqlite, type StageStores } from './contract/index.js';
import { StageLedger } from './stage-ledger.js';

const RUN = { jobId: 'job_1', accountId: 'acc_1', run: 1 };
const STAGE = { name: 'sample', stage: common.Stage.STAGE_SEARCH };

describe('the ledger of stages', () => {
  let stores: StageStores;
  let ledger: StageLedger;
  beforeEach(async () => {
    stores = await storesOnSqlite();
    ledger = new StageLedger(stores.documents, { name: 'jobs', indexes: [] }, systemClock);
  });
  afterEach(() => stores.close());

  it('begins nothing of a job that an earlier version erased, and does not report that again', async () => {
    const former = stores.documents.collection<Document & { count: number; reported: boolean }>({ name: 'job_erasures', indexes: [] });
    await former.insert({ id: 'job_1', createdAt: new Date(0).toISOString(), count: 3, reported: true });
    expect(await ledger.begin(STAGE, RUN)).toBeUndefined();
    expect(await ledger.isErased('job_1')).toBe(true);
    await ledger.bury(RUN, 0);
    const reported: number[] = [];
    await ledger.reportErasure(RUN, '', (count) => (reported.push(count), []));
    expect(reported).toEqual([]);
  });

  it('reports the count that the erasure found first', async () => {
    await ledger.bury(RUN, 5);
    await ledger.bury(RUN, 0);
    const reported: number[] = [];
    await ledger.reportErasure(RUN, '', (count) => (reported.push(count), []));
    expect(reported).toEqual([5]);
  });

  describe('in an outage', () => {
    const { STAGE_STATUS_PENDING: WAITS, STAGE_STATUS_RUNNING: RUNS } = common.StageStatus;
    const reports = async () => (await stores.documents.outbox.pending(100)).flatMap(({ events }) => events).map(({ data }) => (data as events.StageEvent).status);
    const failedTry = async () => {
      await ledger.begin(STAGE, RUN);
      await ledger.wait(STAGE, RUN, 'end of an outage');
    };

    it('reports once that the run waits, and again when asked', async () => {
      await failedTry();
      await failedTry();
      expect(await reports()).toEqual([RUNS, WAITS]);
      await ledger.reportAgain(STAGE, RUN);
      await failedTry();
      expect(await reports()).toEqual([RUNS, WAITS, WAITS]);
    });

    it('reports when asked that a try is at work, and then that it waits again', async () => {
      await failedTry();
      await ledger.begin(STAGE, RUN);
      await ledger.reportAgain(STAGE, RUN);
      expect(await reports()).toEqual([RUNS, WAITS, RUNS]);
      await ledger.wait(STAGE, RUN, 'end of an outage');
      expect(await reports()).toEqual([RUNS, WAITS, RUNS, WAITS]);
    });
  });

  it('learns nothing of a job that is canceled', async () => {
    const facts = new StageLedger<{ transcriptRun: number }>(stores.documents, { name: 'facts', indexes: [] }, systemClock);
    await facts.cancel(RUN);
    expect(await facts.learn(RUN, () => ({ transcriptRun: 1 }))).not.toHaveProperty('transcriptRun');
  });
});
