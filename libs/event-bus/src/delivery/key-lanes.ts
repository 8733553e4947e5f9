/** Waiting items in a lane for each key: the heads of lanes run side by side, the items of one lane one after the other. */
export class KeyLanes<T> {
  private readonly lanes = new Map<string, T[]>();
  /** Keys of lanes whose head may run now. */
  private readonly ready: string[] = [];

  add(key: string, item: T): void {
    const lane = this.lanes.get(key);
    if (lane) {
      lane.push(item);
      return;
    }
    this.lanes.set(key, [item]);
    this.ready.push(key);
  }

  /** The item that `take` would take. */
  peek(): T | undefined {
    const [key] = this.ready;
    return key === undefined ? undefined : this.lanes.get(key)?.[0];
  }

  /** Takes the head of the lane that has been ready longest; the lane waits until `finish` or `again`. */
  take(): T | undefined {
    const key = this.ready.shift();
    return key === undefined ? undefined : this.lanes.get(key)?.[0];
  }

  /** The lane's head is done with; the next may run. */
  finish(key: string): void {
    const lane = this.lanes.get(key);
    lane?.shift();
    if (lane && lane.length > 0) this.ready.push(key);
    else this.lanes.delete(key);
  }

  /** The lane's head is to run once more. */
  again(key: string): void {
    if (this.lanes.has(key)) this.ready.push(key);
  }
}
