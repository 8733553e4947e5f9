import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agglomerate, type ClusterModel } from './clustering.js';

interface Group {
  mean: number;
  size: number;
}

/** Numbers, each cluster at the mean of its own. */
const model: ClusterModel<Group> = {
  distance: (one, other) => Math.abs(one.mean - other.mean),
  merge: (one, other) => ({ mean: (one.mean * one.size + other.mean * other.size) / (one.size + other.size), size: one.size + other.size }),
};
const items = (...numbers: number[]): Group[] => numbers.map((mean) => ({ mean, size: 1 }));

describe('agglomerate', () => {
  it('joins what is nearer than the threshold', () => {
    const { clusters, labels } = agglomerate(items(1, 10, 1.5, 11, 30), model, { threshold: 3 });
    expect(labels).toEqual([0, 1, 0, 1, 2]);
    expect(clusters).toEqual([{ mean: 1.25, size: 2 }, { mean: 10.5, size: 2 }, { mean: 30, size: 1 }]);
  });

  it('keeps to bounds, whatever the threshold', () => {
    expect(agglomerate(items(1, 2, 3), model, { threshold: 100, minClusters: 2 }).clusters).toHaveLength(2);
    expect(agglomerate(items(1, 20, 300), model, { threshold: 0, maxClusters: 2 }).labels).toEqual([0, 0, 1]);
    expect(agglomerate(items(1, 2), model, { threshold: 100, minClusters: 5 }).clusters).toHaveLength(2);
    expect(agglomerate([], model, { threshold: 1 })).toEqual({ clusters: [], labels: [] });
  });

  it('always merges the nearest pair, as looking at all of them does', () => {
    const numbers = fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { maxLength: 25 });
    fc.assert(
      fc.property(numbers, fc.double({ min: 0, max: 50, noNaN: true }), (means, threshold) => {
        const sizes = ({ clusters }: { clusters: Group[] }) => clusters.map(({ size }) => size).toSorted((one, other) => one - other);
        expect(sizes(agglomerate(items(...means), model, { threshold }))).toEqual(sizes({ clusters: naive(items(...means), threshold) }));
      }),
    );
  });
});

function naive(groups: Group[], threshold: number): Group[] {
  let best: { one: number; other: number; distance: number } | undefined;
  for (let one = 0; one < groups.length; one++) {
    for (let other = one + 1; other < groups.length; other++) {
      const distance = model.distance(groups[one]!, groups[other]!);
      if (!best || distance < best.distance) best = { one, other, distance };
    }
  }
  if (!best || best.distance >= threshold) return groups;
  const { one, other } = best;
  const merged = model.merge(groups[one]!, groups[other]!);
  return naive(groups.map((group, index) => (index === one ? merged : group)).filter((_, index) => index !== other), threshold);
}
