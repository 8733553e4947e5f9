import { AppError, SharedPlaces } from '@parlance/platform';

/** Seconds after which a refused session may find a place. */
const RETRY_SECONDS = 5;

/** The live decoders that a process may run at once, in fair shares of the accounts. None is waited for: audio that waits is late. */
export class LivePlaces extends SharedPlaces {
  constructor(places: number) {
    super(places, noCapacity);
  }
}

/** RESOURCE_EXHAUSTED in gRPC, which the channel does not repeat by itself as it does UNAVAILABLE. */
const noCapacity = () => new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'As many live sessions are decoded as this server can decode at once.', retryAfter: RETRY_SECONDS });
