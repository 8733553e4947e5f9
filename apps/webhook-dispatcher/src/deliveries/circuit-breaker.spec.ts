import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { CircuitBreaker, type Circuit } from './circuit-breaker.js';

const ID = 'acc_1 https://r.example';
const OPEN: Circuit = { failures: 20, since: '2026-01-01T00:00:00.000Z', openUntil: '2026-01-01T00:00:05.000Z', restMs: 5_000 };

describe('the circuit of a receiver', () => {
  let fixture: DispatcherFixture;
  let circuits: CircuitBreaker;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    circuits = new CircuitBreaker(fixture.documents, fixture.clock);
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  it('is counted and named while it is open, for all replicas', async () => {
    await circuits.save(ID, OPEN);
    const other = new CircuitBreaker(fixture.documents, fixture.clock);
    expect([await other.countOpen(), await other.openUntil([ID, ID, 'acc_2 https://r.example'])]).toEqual([1, new Map([[ID, OPEN.openUntil]])]);
    expect(await other.of(ID)).toEqual(OPEN);
  });

  it('is open no longer once the receiver has recovered, and leaves nothing behind', async () => {
    await circuits.save(ID, OPEN);
    await circuits.save(ID, undefined);
    expect([await circuits.countOpen(), await circuits.of(ID)]).toEqual([0, undefined]);
    expect(await fixture.documents.collection({ name: 'receivers', indexes: [{ fields: ['resting'] }] }).count()).toBe(0);
  });
});
