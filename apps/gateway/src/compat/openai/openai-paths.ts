/** The paths that OpenAI's clients call, with and without `/v1` in their base URL. */
export const under = (path: string): string[] => ['/v1', '/compat/openai/v1', '/compat/openai'].map((root) => root + path);

const TRANSCRIPTIONS = '/audio/transcriptions';

/** Also those of clients whose base URL is the full address, to which they add the path again. */
export const transcriptionPaths = (): string[] => ['', TRANSCRIPTIONS, `/v1${TRANSCRIPTIONS}`].flatMap((again) => under(TRANSCRIPTIONS + again));
