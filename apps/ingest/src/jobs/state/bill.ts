/** What one run of a job was billed for. */
export interface Bill {
  run: number;
  /** Of audio. */
  milliseconds: number;
  /** RFC 3339 UTC. */
  billedAt: string;
}

export const billedMs = (bills: readonly Bill[] = []): number => bills.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
