import { list } from '@parlance/platform';
import type { z } from 'zod';

/** The paths that clients of each vendor's API call, when their base URL is the server's own address. Paths that are not served belong to it as well, so that their errors have its form. */
const ROOTS = {
  deepgram: /^\/v1\/(?:listen|speak|read|auth|projects)(?=$|[/?])/,
  assemblyai: /^\/v2(?=$|[/?])/,
  asr: /^\/(?:asr|detect-language)(?=$|\?)/,
} as const;

type CompatApi = keyof typeof ROOTS;

const isCompatApi = (name: string): name is CompatApi => Object.hasOwn(ROOTS, name);

export const compatRootsConfig = {
  COMPAT_ROOTS: list()
    .refine((names) => names.every(isCompatApi), `must be some of ${Object.keys(ROOTS).join(', ')}`)
    .default([])
    .describe('The APIs of other vendors that are served at the root of the server, besides /compat/<name>, comma-separated: deepgram (/v1/listen), assemblyai (/v2), asr (/asr, /detect-language of whisper-asr-webservice). Empty: none'),
} as const satisfies Record<string, z.ZodType>;

/** @returns the function that gives a request's URL its place under `/compat` when its API is served at the root */
export function compatRoots(names: readonly string[]): (url: string) => string {
  const apis = names.filter(isCompatApi);
  return (url) => {
    const api = apis.find((name) => ROOTS[name].test(url));
    return api ? `/compat/${api}${url}` : url;
  };
}
