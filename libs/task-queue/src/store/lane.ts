/** The tasks of one group of one account: the unit that takes turns. */
export interface Lane {
  accountId: string;
  group: string;
  /** True when the normal tasks of the account come first. */
  isBackground?: boolean | undefined;
}

/** Marks the group of a lane of background tasks. No group begins with it. */
const BACKGROUND = '~';

/** As one string, so that a store finds all lanes of a queue by one index. */
export const laneName = ({ accountId, group, isBackground }: Lane): string => `${accountId} ${isBackground ? BACKGROUND : ''}${group}`;

/** @param name as `laneName` makes it: the ids of accounts have no spaces. */
export function parseLane(name: string): Lane {
  const end = name.indexOf(' ');
  const [accountId, group] = [name.slice(0, end), name.slice(end + 1)];
  return group.startsWith(BACKGROUND) ? { accountId, group: group.slice(BACKGROUND.length), isBackground: true } : { accountId, group };
}
