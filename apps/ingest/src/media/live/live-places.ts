import { AppError, makeFairRoom, type PlaceHolder } from '@parlance/platform';

/** Seconds after which a refused session may find a place. */
const RETRY_SECONDS = 5;

/** A place of a live decoder. */
interface LivePlace {
  /** Aborts with an error when the place is given to another account. */
  lost: AbortSignal;
  /** Gives it back, once. */
  leave(): void;
}

/** The live decoders that a process may run at once, in fair shares of the accounts. None is waited for: audio that waits is late. */
export class LivePlaces {
  /** The oldest first. */
  private readonly taken = new Set<PlaceHolder>();

  constructor(private readonly places: number) {}

  /** @param accountId where it is known. @throws AppError no_live_capacity */
  take(accountId = ''): LivePlace {
    makeFairRoom([...this.taken], this.places, accountId, noCapacity);
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

/** RESOURCE_EXHAUSTED in gRPC, which the channel does not repeat by itself as it does UNAVAILABLE. */
const noCapacity = () => new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'As many live sessions are decoded as this server can decode at once.', retryAfter: RETRY_SECONDS });
