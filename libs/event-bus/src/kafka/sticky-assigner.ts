import kafkajs, { type PartitionAssigner } from 'kafkajs';

const { AssignerProtocol } = kafkajs;

/** A member of a group and the partitions it had until now. */
export interface Claim {
  memberId: string;
  owned: readonly number[];
}

/**
 * Assigns partitions to members: as even as can be, and as few moved as that allows, since a moved partition costs the work in
 * flight on it. Where two claim the same (one was expelled and does not know yet), the first by id keeps it.
 */
export function assignSticky(partitions: readonly number[], claims: readonly Claim[]): Map<string, number[]> {
  const members = claims.toSorted((a, b) => compare(a.memberId, b.memberId));
  const least = Math.floor(partitions.length / members.length);
  let larger = partitions.length % members.length;
  const free = new Set(partitions);
  const assignment = new Map<string, number[]>(members.map(({ memberId }) => [memberId, []]));

  // The members that had most keep the shares that are one larger.
  for (const { memberId, owned } of members.toSorted((a, b) => b.owned.length - a.owned.length)) {
    const mine = assignment.get(memberId) ?? [];
    for (const partition of owned) {
      const quota = least + (larger > 0 ? 1 : 0);
      if (mine.length < quota && free.delete(partition)) mine.push(partition);
    }
    if (mine.length > least) larger -= 1;
  }
  for (const partition of [...free].toSorted((a, b) => a - b)) {
    const [poorest] = [...assignment.values()].toSorted((a, b) => a.length - b.length);
    poorest?.push(partition);
  }
  return assignment;
}

/** @param owned the partitions that this member has now */
export const stickyAssigner =
  (owned: () => readonly number[]): PartitionAssigner =>
  ({ cluster }) => ({
    name: 'parlance-sticky',
    version: 1,

    async assign({ members, topics }) {
      const [topic = ''] = topics;
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const claims = members.map(({ memberId, memberMetadata }) => ({ memberId, owned: readClaim(memberMetadata) }));
      return [...assignSticky(partitions, claims)].map(([memberId, mine]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({ version: 1, assignment: { [topic]: mine }, userData: Buffer.alloc(0) }),
      }));
    },

    protocol({ topics }) {
      const userData = Buffer.from(JSON.stringify(owned()));
      return { name: this.name, metadata: AssignerProtocol.MemberMetadata.encode({ version: 1, topics, userData }) };
    },
  });

function readClaim(metadata: Buffer): number[] {
  const userData = AssignerProtocol.MemberMetadata.decode(metadata)?.userData;
  if (!userData || userData.length === 0) return [];
  const claim: unknown = JSON.parse(userData.toString());
  return Array.isArray(claim) ? claim.filter((partition) => Number.isSafeInteger(partition)) : [];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
