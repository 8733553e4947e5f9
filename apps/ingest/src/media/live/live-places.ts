import { AppError } from '@parlance/platform';

/** Seconds after which a refused session may find a place. */
const RETRY_SECONDS = 5;

/** The live decoders that a process may run at once. None is waited for: audio that waits is late. */
export class LivePlaces {
  private taken = 0;

  constructor(private readonly places: number) {}

  /** @returns what gives the place back, once @throws AppError no_live_capacity */
  take(): () => void {
    if (this.taken >= this.places) throw noCapacity();
    this.taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.taken -= 1;
      isHeld = false;
    };
  }
}

/** RESOURCE_EXHAUSTED in gRPC, which the channel does not repeat by itself as it does UNAVAILABLE. */
const noCapacity = () => new AppError({ kind: 'rate_limited', code: 'no_live_capacity', message: 'As many live sessions are decoded as this server can decode at once.', retryAfter: RETRY_SECONDS });
