/** The paths that OpenAI's clients call, with and without `/v1` in their base URL. */
export const under = (path: string): string[] => ['/v1', '/compat/openai/v1', '/compat/openai'].map((root) => root + path);
