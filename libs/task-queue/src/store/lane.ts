/** The tasks of one group of one account: the unit that takes turns. */
export interface Lane {
  accountId: string;
  group: string;
}

/** As one string, so that a store finds all lanes of a queue by one index. */
export const laneName = ({ accountId, group }: Lane): string => `${accountId} ${group}`;

/** @param name as `laneName` makes it: the ids of accounts have no spaces. */
export function parseLane(name: string): Lane {
  const end = name.indexOf(' ');
  return { accountId: name.slice(0, end), group: name.slice(end + 1) };
}
