/** One place where jobs, entries and sums do not agree. */
export interface LedgerFault {
  /** `missing`: a bill without its entry. `different`: they name other amounts. `unproved`: an entry without a bill. `misbilled`: a job's own figures. `sum`: entries and sums. */
  fault: 'missing' | 'different' | 'unproved' | 'misbilled' | 'sum';
  /** The id of the wrong entry, job, account or day. */
  id: string;
  detail: string;
}
