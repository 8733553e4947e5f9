const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;

/** There is nothing at the path; a file where a folder would have to be counts too. */
export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(codeOf(error)));

/** The result of the work, or undefined when the file is missing. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
