/** The index stores the project of a job as a pair of its metadata. Callers cannot give this name to a pair of their own, because it has a blank. */
const PROJECT = 'project of the job';

/** The metadata of a job, or pairs to filter by, with its project. */
export const withProject = (metadata: Readonly<Record<string, string>>, projectId: string | undefined): Record<string, string> => ({ ...metadata, ...(projectId !== undefined && { [PROJECT]: projectId }) });
