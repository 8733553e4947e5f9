import { dayIdOf, plus, type Amount, type UsageLedger } from '@parlance/gateway/usage';
import { everyDocument } from './every-document.js';
import type { LedgerFault } from './ledger-fault.js';

type Days = ReadonlyMap<string, Amount>;

/** An account that changes during its check is checked again, this many times. */
const TRIES = 5;
const NOTHING: Amount = { milliseconds: 0, requests: 0 };

/** Compares the sums of accounts and days with their entries. @param found the sums of entries by account and day, as they were a while ago */
export async function sumFaults(ledger: UsageLedger, found: ReadonlyMap<string, Days>, { account }: { account?: string }): Promise<LedgerFault[]> {
  const faults: LedgerFault[] = [];
  for (const [accountId, days] of found) {
    if ((await faultsOf(ledger, accountId, days)).length > 0) faults.push(...(await faultsNow(ledger, accountId)));
  }
  for await (const page of everyDocument(ledger.balances)) {
    const strange = page.filter(({ id, requests }) => requests > 0 && !found.has(id) && (account === undefined || id === account));
    for (const { id } of strange) faults.push(...(await faultsNow(ledger, id)));
  }
  return faults;
}

/** Compares the account at one moment: its balance is written with each entry, and must not change while the entries are read. */
async function faultsNow(ledger: UsageLedger, accountId: string): Promise<LedgerFault[]> {
  for (let left = TRIES; ; left -= 1) {
    const before = (await ledger.balances.get(accountId))?.version;
    const days = new Map<string, Amount>();
    let isCounting = false;
    for await (const page of everyDocument(ledger.entries, { where: { accountId } })) {
      for (const entry of page) {
        isCounting ||= !entry.counted;
        days.set(dayIdOf(entry), plus(days.get(dayIdOf(entry)), { milliseconds: entry.milliseconds, requests: 1 }));
      }
    }
    const faults = await faultsOf(ledger, accountId, days);
    const isStill = !isCounting && before === (await ledger.balances.get(accountId))?.version;
    if (faults.length === 0 || isStill || left === 1) return faults;
  }
}

async function faultsOf(ledger: UsageLedger, accountId: string, days: Days): Promise<LedgerFault[]> {
  const total = [...days.values()].reduce(plus, NOTHING);
  const kept = new Map<string, Amount>();
  for await (const page of everyDocument(ledger.days, { where: { accountId } })) for (const day of page) kept.set(day.id, day);
  const balance = (await ledger.balances.get(accountId))?.document ?? NOTHING;
  const compared = [...new Set([...days.keys(), ...kept.keys()])].map((id) => faultOf(id, days.get(id) ?? NOTHING, kept.get(id) ?? NOTHING));
  return [faultOf(accountId, total, balance), ...compared].filter((fault) => fault !== undefined);
}

function faultOf(id: string, entries: Amount, sum: Amount): LedgerFault | undefined {
  if (entries.milliseconds === sum.milliseconds && entries.requests === sum.requests) return undefined;
  return { fault: 'sum', id, detail: `${entries.requests} entries of ${entries.milliseconds} ms, but the sum has ${sum.requests} of ${sum.milliseconds} ms` };
}
