import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of one turn of the event loop for all long work of the process together. */
const SLICE_MS = 10;

/** When long work began in the present turn of the event loop; undefined: it has not. */
let began: number | undefined;
/** The tail of the queue for the event loop: one caller continues in each turn of it, however many wait. */
let queue: Promise<void> = Promise.resolve();

/** Milliseconds of the present turn that long work has had. */
function elapsed(): number {
  const now = performance.now();
  if (began === undefined) {
    began = now;
    // A turn begins with its timers. What continues by setImmediate is still in the turn of the input before it.
    setTimeout(() => (began = undefined), 0);
  }
  return now - began;
}

/** Cuts long work into slices between which the event loop takes its turn. All work of the process that is cut shares the time of a turn. */
export class TimeSlices {
  constructor(private readonly signal?: AbortSignal) {
    elapsed();
  }

  /** To be called often; waits only when the time of the turn is used up. @throws the signal's reason once it is aborted */
  async next(): Promise<void> {
    if (elapsed() < SLICE_MS) return;
    queue = queue.then(() => nextTurn());
    await queue;
    this.signal?.throwIfAborted();
    elapsed();
  }
}
