import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { assignSticky, type Claim } from './sticky-assigner.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const group = fc.record({
  partitions: fc.nat({ max: 50 }).map(range),
  members: fc.array(fc.array(fc.nat({ max: 60 }), { maxLength: 30 }), { minLength: 1, maxLength: 9 }),
});
const claimsOf = (members: number[][]): Claim[] => members.map((owned, index) => ({ memberId: `m${index}`, owned }));
const toClaims = (assignment: Map<string, number[]>): Claim[] => [...assignment].map(([memberId, owned]) => ({ memberId, owned }));
const moved = (before: Map<string, number[]>, after: Map<string, number[]>): number =>
  [...after].reduce((sum, [member, mine]) => sum + mine.filter((partition) => !before.get(member)?.includes(partition)).length, 0);

describe('assignSticky', () => {
  it('gives every partition to one member, evenly, whatever the members claim', () => {
    fc.assert(
      fc.property(group, ({ partitions, members }) => {
        const shares = [...assignSticky(partitions, claimsOf(members)).values()];
        expect(shares.flat().toSorted((a, b) => a - b)).toEqual(partitions);
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('does not depend on the order in which the members are listed', () => {
    fc.assert(
      fc.property(group, ({ partitions, members }) => {
        const sorted = (claims: Claim[]) => [...assignSticky(partitions, claims)].toSorted();
        expect(sorted(claimsOf(members).toReversed())).toEqual(sorted(claimsOf(members)));
      }),
    );
  });

  it('moves nothing when nothing changed, and to a newcomer only its share', () => {
    fc.assert(
      fc.property(group, ({ partitions, members }) => {
        const before = assignSticky(partitions, claimsOf(members));
        expect(moved(before, assignSticky(partitions, toClaims(before)))).toBe(0);
        const joined = assignSticky(partitions, [...toClaims(before), { memberId: 'new', owned: [] }]);
        expect(moved(before, joined)).toBe(joined.get('new')?.length);
      }),
    );
  });

  it('moves only what a leaver had', () => {
    fc.assert(
      fc.property(group, ({ partitions, members }) => {
        fc.pre(members.length > 1);
        const before = assignSticky(partitions, claimsOf(members));
        const after = assignSticky(partitions, toClaims(before).slice(1));
        expect(moved(before, after)).toBe(before.get('m0')?.length);
      }),
    );
  });
});
