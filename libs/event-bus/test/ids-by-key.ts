/** The events of each key in the order in which they came first. */
export const idsByKey = (events: readonly { key: string; id: string }[]): Record<string, string[]> =>
  Object.fromEntries([...Map.groupBy(events, ({ key }) => key)].map(([key, ofKey]) => [key, [...new Set(ofKey.map(({ id }) => id))]]));
