import type { DocumentCollection } from '@parlance/storage';
import { plus, projectsOf, startOfDay, type Amount, type UsageDay } from './usage-sums.js';

export const GROUPINGS = ['day', 'key', 'operation', 'project'] as const;
type Grouping = (typeof GROUPINGS)[number];

interface UsageReport {
  groups: ({ group: string } & Amount)[];
  totalMilliseconds: number;
}

/** The usage of an account from one day to another, both included, by group; from the sums of days, however many jobs there were. */
export async function usageReport(days: DocumentCollection<UsageDay>, accountId: string, range: { from: string; to: string }, by: Grouping): Promise<UsageReport> {
  const groups = new Map<string, Amount>();
  let totalMilliseconds = 0;
  for await (const day of daysIn(days, accountId, range)) {
    totalMilliseconds += day.milliseconds;
    for (const [group, amount] of groupsOf(day, by)) groups.set(group, plus(groups.get(group), amount));
  }
  const sorted = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return { groups: sorted.map(([group, amount]) => ({ group, ...amount })), totalMilliseconds };
}

function groupsOf(day: UsageDay, by: Grouping): [string, Amount][] {
  if (by === 'key') return Object.entries(day.byKey);
  if (by === 'operation') return Object.entries(day.byOperation);
  if (by === 'project') return Object.entries(projectsOf(day));
  return [[day.createdAt.slice(0, 10), day]];
}

async function* daysIn(days: DocumentCollection<UsageDay>, accountId: string, { from, to }: { from: string; to: string }): AsyncGenerator<UsageDay> {
  const range = { field: 'createdAt', gte: startOfDay(from), lt: dayAfter(to) };
  for await (const { document } of days.all({ where: { accountId }, range, direction: 'ascending' })) yield document;
}

const dayAfter = (day: string): string => new Date(Date.parse(startOfDay(day)) + 24 * 60 * 60_000).toISOString();
