import { afterAll } from '@jest/globals';
import { startParlance, type Parlance } from '@parlance/testing';

/**
 * One running product for several files of tests, which one spec file imports: they run one after the other, in the order of the
 * imports, each with an account of its own where it counts what the account has.
 * @returns starts it for the first that calls, and gives the same to the others
 */
export function sharedProduct(settings: () => Record<string, string> | Promise<Record<string, string>>): () => Promise<Parlance> {
  let product: Promise<Parlance> | undefined;
  afterAll(async () => (await product)?.dispose());
  return () => (product ??= (async () => startParlance({ env: await settings() }))());
}
