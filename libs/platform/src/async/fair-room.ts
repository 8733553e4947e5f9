/** Work of an account that has one of the places of a process. */
export interface PlaceHolder {
  accountId: string;
  /** Ends the work with the error: its place goes to another account. */
  lose(error: Error): void;
}

/**
 * Leaves room for one more holder of the account. When all places are taken, the newest holder of the account with the most of them
 * loses its place, unless the account would then have more than that one.
 *
 * @param holders the oldest first
 * @throws the refusal when there is no room
 */
export function makeFairRoom(holders: readonly PlaceHolder[], places: number, accountId: string, refusal: () => Error): void {
  if (holders.length < places) return;
  const byAccount = Map.groupBy(holders, (holder) => holder.accountId);
  const most = [...byAccount.values()].reduce((one, other) => (other.length > one.length ? other : one));
  const own = byAccount.get(accountId)?.length ?? 0;
  if (most.length <= own + 1) throw refusal();
  most.at(-1)?.lose(refusal());
}
