/** The bill of one run of a job. */
export interface Bill {
  run: number;
  /** The billed length of audio. */
  milliseconds: number;
  /** RFC 3339 UTC. */
  billedAt: string;
}

export const billedMs = (bills: readonly Bill[] = []): number => bills.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
