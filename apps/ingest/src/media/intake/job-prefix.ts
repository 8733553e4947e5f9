/** Below which everything of a job lies in the media store. */
export const jobPrefix = (accountId: string, jobId: string): string => `${accountId}/${jobId}/`;
