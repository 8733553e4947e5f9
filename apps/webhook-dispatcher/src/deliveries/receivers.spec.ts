import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DispatcherFixture } from '../../test/dispatcher-fixture.js';
import { Receivers } from './receivers.js';

const ID = 'acc_1 https://r.example';
const LEASE_MS = 15_000;
const nothing = () => Promise.resolve(undefined);
const now = () => new Date().toISOString();

describe('a claimed receiver', () => {
  let fixture: DispatcherFixture;
  let receivers: Receivers;
  beforeEach(async () => {
    fixture = await DispatcherFixture.open();
    receivers = new Receivers(fixture.documents, fixture.clock);
  });
  afterEach(() => fixture[Symbol.asyncDispose]());

  it('that another replica turns out to serve is told of what was stored for it meanwhile', async () => {
    const other = new Receivers(fixture.documents, fixture.clock);
    const served = await other.claim(ID, LEASE_MS);
    const claiming = receivers.claim(ID, LEASE_MS);
    const expecting = receivers.expect(ID);
    expect(await claiming).toBeUndefined();
    await expecting;

    let looks = 0;
    await other.release(served!, undefined, async () => ((looks += 1) === 1 ? undefined : now()));
    expect(looks).toBe(2);
    expect(await receivers.earliestDueAt()).toBeDefined();
  });

  it('hears what comes, also after the end of the turn that had let it go before', async () => {
    const before = await receivers.claim(ID, LEASE_MS);
    await receivers.release(before!, undefined, nothing);
    const lease = await receivers.claim(ID, LEASE_MS);
    receivers.letGo(before!);
    await receivers.expect(ID);
    expect(await lease!.held.hears(0)).toBe('unread');
  });

  it('does not rest any longer when its lease is renewed after it has recovered', async () => {
    const openUntil = new Date(Date.now() - 1).toISOString();
    const failing = await receivers.claim(ID, LEASE_MS);
    await receivers.release(failing!, { failures: 20, since: openUntil, openUntil, restMs: 5_000 }, async () => openUntil);
    const probing = await receivers.takeDue(LEASE_MS);
    expect(await receivers.countResting()).toBe(1);
    expect(await receivers.renew(probing!, undefined, LEASE_MS)).toBeDefined();
    expect(await receivers.countResting()).toBe(0);
  });
});
