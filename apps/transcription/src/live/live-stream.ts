import { live } from '@parlance/contracts';
import type { PlaceHolder } from '@parlance/platform';

type Event = NonNullable<live.RecognizeResponse['event']>;

/** Milliseconds without speech after which the place is given back. */
const QUIET_MS = 10_000;

interface Places {
  /** @throws AppError no_live_capacity */
  take(): void;
  /** The stream has a place, or has none any longer. */
  changed(): void;
  ended(): void;
}

/** A stream that is recognized: it has a place while it is spoken into, and while the audio of that arrives. */
export class LiveStream implements PlaceHolder, Disposable {
  private readonly losing = new AbortController();
  private quietFrom: number | undefined = performance.now();
  private readonly quiet = setTimeout(() => this.giveBack(), QUIET_MS).unref();

  constructor(
    readonly accountId: string,
    private isPlaced: boolean,
    private readonly places: Places,
  ) {}

  /** Audio has arrived: until there is a pause in it, it is speech. @throws AppError no_live_capacity when it continues after a while and no place is free */
  arrived(): void {
    if (this.quietFrom === undefined) this.speak();
  }

  get hasPlace(): boolean {
    return this.isPlaced;
  }

  /** When it was last spoken into, or began, in milliseconds of the process's clock; undefined while it is spoken into. */
  get quietSince(): number | undefined {
    return this.quietFrom;
  }

  /** Aborts with the error of the stream when its place is given to another account. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  lose(error: Error): void {
    this.losing.abort(error);
    this.giveBack();
  }

  /** Follows what is said by the events of the recognition. @throws AppError no_live_capacity when there is speech again and no place is free, or the place was lost */
  follow({ $case, value }: Event): void {
    const isCutOff = $case === 'final' && value.endpoint === live.Endpoint.ENDPOINT_LENGTH;
    if ($case === 'speechStarted' || $case === 'partial' || isCutOff) this.speak();
    else if ($case === 'speechEnded' || $case === 'final') this.fallQuiet();
  }

  /** Until the next word, it needs none. */
  giveBack(): void {
    this.isPlaced = false;
    this.places.changed();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.quiet);
    this.giveBack();
    this.places.ended();
  }

  private speak(): void {
    this.lost.throwIfAborted();
    this.quietFrom = undefined;
    this.quiet.refresh();
    if (this.isPlaced) return;
    this.places.take();
    this.isPlaced = true;
    this.places.changed();
  }

  private fallQuiet(): void {
    this.quietFrom = performance.now();
    this.quiet.refresh();
  }
}
