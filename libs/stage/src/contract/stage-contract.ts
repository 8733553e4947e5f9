import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@parlance/platform';
import { eventually } from '@parlance/platform/contract';
import { runOfJob, StageFixture } from './stage-fixture.js';
import type { StageStores } from './stage-stores.js';
import type { StageUnderTest } from './stage-under-test.js';

const REFUSED = new AppError({ kind: 'unavailable', code: 'engine_refused', message: 'The engine refused.', retryable: false });
const AWAY = new AppError({ kind: 'unavailable', code: 'media_store_unavailable', message: 'The media store cannot be used now.' });
const CRASHED = new AppError({ kind: 'unavailable', code: 'engine_failed', message: 'The engine crashed.' });

/** What every stage keeps to, whatever its work is and on whichever database. */
export function describeStageContract(name: string, openStores: () => Promise<StageStores>, open: (stores: StageStores) => Promise<StageUnderTest>): void {
  describe(name, () => {
    const fixture = new StageFixture(openStores, open);
    beforeEach(() => fixture.setUp());
    afterEach(() => fixture.tearDown());

    describeRuns(fixture);
    describeStops(fixture);
    describeErasure(fixture);
    describeRequests(fixture);
    describeCrashes(fixture);
    describeFailures(fixture);
  });
}

function describeRuns(fixture: StageFixture): void {
  it('performs a run once, however often its event is delivered', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([1]);
    expect(await fixture.completed('job_1')).toEqual([1]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(1);
  });

  it('does not go back to a run of before, whose event comes late', async () => {
    await fixture.start(runOfJob('job_1', 2));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.start(runOfJob('job_1', 1));
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([2]);
  });

  it('performs a lost run when it is asked for, and reports its end again when that was lost', async () => {
    await fixture.work();
    await fixture.request(runOfJob('job_1'));
    await fixture.completion('job_1');
    await fixture.request(runOfJob('job_1'));
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1, 1]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(1);
  });

  it('may be asked for while it waits, and while it runs', async () => {
    const release = fixture.stage.engine.holdNext('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.request(runOfJob('job_1'));
    await fixture.work();
    await fixture.engineCalled('job_1');
    await fixture.request(runOfJob('job_1'));
    release();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(1);
  });
}

function describeStops(fixture: StageFixture): void {
  it('begins nothing for a job that is canceled before its first event', async () => {
    await fixture.tell('job.canceled', runOfJob('job_1'));
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([]);
  });

  it('begins nothing for a job that is canceled while it waits', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.tell('job.canceled', runOfJob('job_1'));
    expect(await fixture.stage.tasks.backlog(fixture.stage.definition.name)).toMatchObject({ waiting: 0 });
    await fixture.work();
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([]);
  });

  it.each(['job.canceled', 'job.failed'] as const)('stops its engine at %s, and reports nothing more', async (type) => {
    fixture.stage.engine.holdNext('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.engineCalled('job_1');
    await fixture.tell(type, runOfJob('job_1'));
    await eventually(() => fixture.stage.engine.callsOf('job_1')[0]?.signal.aborted === true, 'the engine to be stopped');
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([]);
    expect(await fixture.failures('job_1')).toEqual([]);
  });

  it('performs the retry of a job that failed, also when the failure is heard of late', async () => {
    await fixture.start(runOfJob('job_1', 2));
    await fixture.tell('job.failed', runOfJob('job_1', 1));
    await fixture.start(runOfJob('job_1', 1));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([2]);
  });
}

function describeErasure(fixture: StageFixture): void {
  it('holds nothing of a job whose work is killed after it stored its result after the erasure', async () => {
    const release = fixture.stage.engine.holdNext('job_1', { ignoringAbort: true });
    const working = fixture.performUntilKilled(runOfJob('job_1'));
    await fixture.engineCalled('job_1');
    await fixture.tell('job.deleted', runOfJob('job_1'));
    release();
    await working;
    await fixture.repeatErasures();
    expect(await fixture.stage.count(runOfJob('job_1'))).toBe(0);
    expect(await fixture.receipts('job_1')).toHaveLength(1);
  });

  it('erases what it holds, reports that once, and begins nothing any more', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    const count = await fixture.stage.count(runOfJob('job_1'));
    expect(count).toBeGreaterThan(0);
    await fixture.tell('job.deleted', runOfJob('job_1'));
    await fixture.tell('job.deleted', runOfJob('job_1'));
    await fixture.start(runOfJob('job_1', 2));
    await fixture.endWork();
    expect(await fixture.receipts('job_1')).toMatchObject([{ erasureId: 'era_1', count }]);
    expect(await fixture.stage.count(runOfJob('job_1'))).toBe(0);
    expect(await fixture.started('job_1')).toEqual([1]);
    expect(await fixture.stage.stages.ledger.isErased('job_1')).toBe(true);
  });

  it('reports an erasure again, with its count, when ingest asks again because the report was lost', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    const count = await fixture.stage.count(runOfJob('job_1'));
    for (const minute of [0, 5, 5]) await fixture.tell('job.deleted', runOfJob('job_1'), new Date(minute * 60_000));
    await fixture.endWork();
    expect(await fixture.receipts('job_1')).toMatchObject([{ count }, { count }]);
  });

  it('holds nothing of a job that is erased while it runs, even if its engine stops too late', async () => {
    const release = fixture.stage.engine.holdNext('job_1', { ignoringAbort: true });
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.engineCalled('job_1');
    await fixture.tell('job.deleted', runOfJob('job_1'));
    release();
    await fixture.endWork();
    expect(await fixture.stage.count(runOfJob('job_1'))).toBe(0);
    expect(await fixture.completed('job_1')).toEqual([]);
    expect(await fixture.receipts('job_1')).toHaveLength(1);
  });
}

/** What ingest asks for again, whichever of the events and tasks was lost. */
function describeRequests(fixture: StageFixture): void {
  it('performs a run whose task was lost before it began', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.loseTask(runOfJob('job_1'));
    await fixture.request(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1]);
  });

  it('performs a run whose task was lost after it began', async () => {
    fixture.stage.engine.holdNext('job_1');
    fixture.performUntilTearDown(runOfJob('job_1'));
    await fixture.engineCalled('job_1');
    await fixture.request(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1]);
  });

  it('performs a run whose task is dead', async () => {
    await fixture.start(runOfJob('job_1'));
    await fixture.killTask();
    await fixture.request(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1]);
    expect(await fixture.stage.tasks.deadTasks.list()).toEqual([]);
  });

  it('reports a failure again', async () => {
    fixture.stage.engine.failNext(REFUSED);
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await eventually(async () => (await fixture.failures('job_1')).length > 0, 'the failure');
    await fixture.request(runOfJob('job_1'));
    await fixture.endWork();
    const failure = { run: 1, code: 'engine_refused' };
    expect(await fixture.failures('job_1')).toEqual([failure, failure]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(1);
  });

  it('reports that it waits while a server is away, and when asked that it works again, so that only work counts towards its deadline', async () => {
    fixture.stage.engine.failNext(AWAY, 2);
    const release = fixture.stage.engine.holdNext('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await eventually(() => fixture.stage.engine.callsOf('job_1').length === 3, 'the third try');
    expect(await fixture.waits('job_1')).toEqual([1]);
    expect(await fixture.started('job_1')).toEqual([1]);
    await fixture.request(runOfJob('job_1'));
    expect(await fixture.waits('job_1')).toEqual([1]);
    expect(await fixture.started('job_1')).toEqual([1, 1]);
    release();
    await fixture.completion('job_1');
    await fixture.endWork();
  });

  it('reports the start of the next try after one that failed', async () => {
    fixture.stage.engine.failNext(CRASHED);
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.waits('job_1')).toEqual([1]);
    expect(await fixture.started('job_1')).toEqual([1, 1]);
  });
}

function describeCrashes(fixture: StageFixture): void {
  it('performs a run again when the process at work is killed', async () => {
    fixture.stage.engine.holdNext('job_1');
    fixture.performUntilTearDown(runOfJob('job_1'));
    await fixture.engineCalled('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    await fixture.endWork();
    expect(await fixture.started('job_1')).toEqual([1]);
    expect(await fixture.completed('job_1')).toEqual([1]);
  });

  it('ends a run once when a process comes back that was paused and does not know that it lost its lease', async () => {
    const release = fixture.stage.engine.holdNext('job_1');
    const paused = fixture.perform(runOfJob('job_1'));
    await fixture.engineCalled('job_1');
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    release();
    await paused;
    await fixture.endWork();
    expect(await fixture.completed('job_1')).toEqual([1]);
  });

  it('ends no run that was canceled while the process at work could not be told', async () => {
    const release = fixture.stage.engine.holdNext('job_1');
    const working = fixture.perform(runOfJob('job_1'));
    await fixture.engineCalled('job_1');
    await fixture.tell('job.canceled', runOfJob('job_1'));
    release();
    await working;
    expect(await fixture.completed('job_1')).toEqual([]);
  });

  it('does not call it a failure that the process closes, whatever its engine says, nor store what comes too late', async () => {
    const closing = AbortSignal.abort(new Error('closing'));
    await expect(fixture.perform(runOfJob('job_1'), closing)).rejects.toThrow();
    fixture.stage.engine.failNext(REFUSED);
    await expect(fixture.perform(runOfJob('job_1'), closing)).rejects.toMatchObject({ code: 'engine_refused' });
    expect(await fixture.completed('job_1')).toEqual([]);
    expect(await fixture.failures('job_1')).toEqual([]);
  });
}

function describeFailures(fixture: StageFixture): void {
  it('fails at once where another try would end alike, and is performed again by a retry', async () => {
    fixture.stage.engine.failNext(REFUSED);
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await eventually(async () => (await fixture.failures('job_1')).length > 0, 'the failure');
    expect(await fixture.failures('job_1')).toEqual([{ run: 1, code: 'engine_refused' }]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(1);
    await fixture.request(runOfJob('job_1', 2));
    await fixture.completion('job_1');
    expect(await fixture.completed('job_1')).toEqual([2]);
  });

  it('fails after its last try, and leaves no dead task', async () => {
    const { maxAttempts } = fixture.stage.definition.retry;
    fixture.stage.engine.failNext(CRASHED, maxAttempts);
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await eventually(async () => (await fixture.failures('job_1')).length > 0, 'the failure');
    await fixture.endWork();
    expect(await fixture.failures('job_1')).toEqual([{ run: 1, code: 'engine_failed' }]);
    expect(fixture.stage.engine.callsOf('job_1')).toHaveLength(maxAttempts);
    expect(await fixture.stage.tasks.deadTasks.list()).toEqual([]);
  });

  it('completes when a later try goes well', async () => {
    fixture.stage.engine.failNext(CRASHED);
    await fixture.start(runOfJob('job_1'));
    await fixture.work();
    await fixture.completion('job_1');
    expect(await fixture.failures('job_1')).toEqual([]);
  });
}
