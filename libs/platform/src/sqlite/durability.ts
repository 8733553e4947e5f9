/** The event that an acknowledged write survives: the death of the process, or a power cut as well. */
export const DURABILITIES = ['power', 'process'] as const;

export type Durability = (typeof DURABILITIES)[number];
