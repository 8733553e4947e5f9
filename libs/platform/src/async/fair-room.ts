/** Work of an account that has one of the places of a process. */
export interface PlaceHolder {
  accountId: string;
  /** Ends the work with the error: its place goes to another account. */
  lose(error: Error): void;
}

/**
 * The holder that has to lose its place, so that there is room for one more of the account: when all places are taken, the newest one of
 * the account with the most of them, unless the asking account would then have more than that one.
 *
 * @param holders the oldest first
 * @returns undefined when there is room
 * @throws the refusal when there can be none
 */
function fairLoser<H extends PlaceHolder>(holders: readonly H[], places: number, accountId: string, refusal: () => Error): H | undefined {
  if (holders.length < places) return undefined;
  const byAccount = Map.groupBy(holders, (holder) => holder.accountId);
  const most = [...byAccount.values()].reduce((one, other) => (other.length > one.length ? other : one));
  const own = byAccount.get(accountId)?.length ?? 0;
  if (most.length <= own + 1) throw refusal();
  return most.at(-1);
}

/** Leaves room for one more of the account, as {@link fairLoser} says. @throws the refusal when there can be none */
export function makeFairRoom(holders: readonly PlaceHolder[], places: number, accountId: string, refusal: () => Error): void {
  fairLoser(holders, places, accountId, refusal)?.lose(refusal());
}

/** A place of {@link SharedPlaces}. */
interface SharedPlace {
  /** Aborts with an error when the place is given to another account. */
  lost: AbortSignal;
  /** Gives it back, once. */
  leave(): void;
}

/** Places for work of one kind in this process, in fair shares of the accounts. None is waited for. */
export class SharedPlaces {
  /** The oldest first. */
  private readonly taken = new Set<PlaceHolder>();

  constructor(
    private readonly places: number,
    private readonly refusal: () => Error,
  ) {}

  /** @throws the refusal when there can be no place for the account */
  take(accountId: string): SharedPlace {
    makeFairRoom([...this.taken], this.places, accountId, this.refusal);
    const losing = new AbortController();
    const leave = () => void this.taken.delete(holder);
    const holder = {
      accountId,
      lose: (error: Error) => {
        losing.abort(error);
        leave();
      },
    };
    this.taken.add(holder);
    return { lost: losing.signal, leave };
  }
}
