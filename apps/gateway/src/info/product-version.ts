import { readFileSync } from 'node:fs';

/** The version of the running product, which is that of its packages. */
export const PRODUCT_VERSION = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }).version;

/** The version of the public API; the first number is that of its paths. */
export const API_VERSION = '1.0.0';
