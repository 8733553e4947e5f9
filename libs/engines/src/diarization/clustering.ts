/** The similarity of clusters, and the merge of two. `T` is the description of a cluster: statistics, or an embedding. */
export interface ClusterModel<T> {
  /** Symmetric; smaller is more alike. */
  distance(one: T, other: T): number;
  merge(one: T, other: T): T;
}

interface StopRule {
  /** Two clusters at this distance or further apart stay two. */
  threshold: number;
  /** Merging stops at so many, whatever the distances. Default 1. */
  minClusters?: number;
  /** Merging continues until no more than this many are left, whatever the distances. Default: any number. */
  maxClusters?: number;
}

interface Clustering<T> {
  clusters: T[];
  /** For each item the index of its cluster. */
  labels: number[];
}

/**
 * Agglomerative hierarchical clustering: again and again the two most alike become one, until the rule says stop.
 * Memory and first distances are quadratic in the items; each merge takes linear time for most data.
 */
export function agglomerate<T>(items: readonly T[], model: ClusterModel<T>, rule: StopRule): Clustering<T> {
  const { threshold, minClusters = 1, maxClusters = Infinity } = rule;
  const active = new ActiveClusters(items, model);
  while (active.size > Math.max(1, minClusters)) {
    const pair = active.closest();
    if (pair.distance >= threshold && active.size <= maxClusters) break;
    active.merge(pair);
  }
  const result = active.result();
  active.release();
  return result;
}

interface Pair {
  one: number;
  other: number;
  distance: number;
}

/** The clusters that are left, their distances, and for each the nearest of those behind it. */
class ActiveClusters<T> {
  private readonly values: (T | undefined)[];
  private readonly parents: number[];
  private readonly distances: Float64Array<ArrayBuffer>;
  private readonly nearest: Int32Array;
  private left: number;

  constructor(
    items: readonly T[],
    private readonly model: ClusterModel<T>,
  ) {
    const count = items.length;
    this.left = count;
    this.values = [...items];
    this.parents = items.map((_, index) => index);
    this.distances = new Float64Array(count * count);
    this.nearest = new Int32Array(count);
    for (let one = 0; one < count; one++) for (let other = one + 1; other < count; other++) this.measure(one, other);
    for (let index = 0; index < count; index++) this.findNearest(index);
  }

  get size(): number {
    return this.left;
  }

  closest(): Pair {
    let best: Pair = { one: -1, other: -1, distance: Infinity };
    for (let one = 0; one < this.values.length; one++) {
      const other = this.nearest[one] as number;
      if (this.values[one] === undefined || other < 0) continue;
      const distance = this.between(one, other);
      if (best.one < 0 || distance < best.distance) best = { one, other, distance };
    }
    return best;
  }

  merge({ one, other }: Pair): void {
    this.values[one] = this.model.merge(this.at(one), this.at(other));
    this.values[other] = undefined;
    this.parents[other] = one;
    this.left--;
    for (let index = 0; index < this.values.length; index++) {
      if (this.values[index] !== undefined && index !== one) this.measure(Math.min(index, one), Math.max(index, one));
    }
    for (let index = 0; index < other; index++) this.renew(index, one, other);
  }

  result(): Clustering<T> {
    const numbers = new Map<number, number>();
    const clusters: T[] = [];
    const labels = this.parents.map((_, index) => {
      const root = this.rootOf(index);
      const known = numbers.get(root);
      if (known !== undefined) return known;
      numbers.set(root, clusters.length);
      return clusters.push(this.at(root)) - 1;
    });
    return { clusters, labels };
  }

  /** Gives the distances back at once, megabytes whose weight garbage collection hardly sees. */
  release(): void {
    this.distances.buffer.transfer(0);
  }

  /** Brings the nearest of `index` up to date after `other` went into `one`. */
  private renew(index: number, one: number, other: number): void {
    if (this.values[index] === undefined) return;
    const nearest = this.nearest[index] as number;
    if (index === one || nearest === one || nearest === other) return this.findNearest(index);
    if (index < one && (nearest < 0 || this.between(index, one) < this.between(index, nearest))) this.nearest[index] = one;
  }

  private findNearest(index: number): void {
    let best = -1;
    for (let other = index + 1; other < this.values.length; other++) {
      if (this.values[other] !== undefined && (best < 0 || this.between(index, other) < this.between(index, best))) best = other;
    }
    this.nearest[index] = best;
  }

  private measure(one: number, other: number): void {
    this.distances[one * this.values.length + other] = this.model.distance(this.at(one), this.at(other));
  }

  private between(one: number, other: number): number {
    return this.distances[one * this.values.length + other] as number;
  }

  private rootOf(index: number): number {
    let root = index;
    while (this.parents[root] !== root) root = this.parents[root] as number;
    return root;
  }

  private at(index: number): T {
    const value = this.values[index];
    if (value === undefined) throw new RangeError(`Cluster ${index} is part of another.`);
    return value;
  }
}
