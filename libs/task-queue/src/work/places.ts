import type { Lane } from '../store/lane.js';
import type { TaskLimit, TaskWorker } from '../task-queue.js';

type Places = Pick<TaskWorker, 'capacity' | 'slow' | 'limits'>;

/** The places of a worker: bounds for all tasks that run in this process, and for those of one name. */
export class WorkerPlaces {
  /** Tasks that have not become slow. */
  private readonly quick: PlaceCount;
  private readonly all: PlaceCount;

  /** @param onFree called when a place becomes free */
  constructor(
    private readonly worker: Places,
    private readonly onFree: () => void,
  ) {
    const { capacity, slow, limits = [] } = worker;
    this.quick = new PlaceCount(capacity, limits);
    this.all = new PlaceCount(Math.max(capacity, slow?.capacity ?? 0), limits);
  }

  get free(): number {
    return Math.min(this.quick.free, this.all.free);
  }

  isFreeFor(lane: Lane): boolean {
    return this.quick.isFreeFor(lane) && this.all.isFreeFor(lane);
  }

  /** Takes a place for a task of the lane. @returns what gives the place back */
  take(lane: Lane): () => void {
    this.quick.count(lane, 1);
    this.all.count(lane, 1);
    let isQuick = true;
    const leaveQuick = () => {
      if (isQuick) this.quick.count(lane, -1);
      isQuick = false;
      this.onFree();
    };
    const timer = this.worker.slow && setTimeout(leaveQuick, this.worker.slow.afterMs).unref();
    return () => {
      clearTimeout(timer);
      this.all.count(lane, -1);
      leaveQuick();
    };
  }
}

/** Counts the tasks in some places, in all and by the names of the limits. */
class PlaceCount {
  private readonly counts: { limit: TaskLimit; max: number; byName: Map<string, number> }[];
  private total = 0;

  constructor(
    private readonly capacity: number,
    limits: readonly TaskLimit[],
  ) {
    this.counts = limits.map((limit) => ({ limit, max: Math.max(limit.min, Math.floor(capacity * limit.part)), byName: new Map() }));
  }

  get free(): number {
    return this.capacity - this.total;
  }

  isFreeFor(lane: Lane): boolean {
    return this.counts.every(({ limit, max, byName }) => (byName.get(limit.nameOf(lane)) ?? 0) < max);
  }

  count(lane: Lane, change: 1 | -1): void {
    this.total += change;
    for (const { limit, byName } of this.counts) {
      const name = limit.nameOf(lane);
      const count = (byName.get(name) ?? 0) + change;
      if (count > 0) byName.set(name, count);
      else byName.delete(name);
    }
  }
}
