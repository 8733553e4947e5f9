/** `dot-products.wat` as a module; `vector-rows.spec.ts` checks it against plain arithmetic. */
const MODULE =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcYAgZtZW1vcnkCAAtkb3RQcm9kdWN0cwAACpABAY0BAgJ/AXsCQANAIANFDQH9DAAAAAAAAAAAAAAAAAAAAAAhByABIQUgASACQQF0aiEGA0AgByAA/QEDACAF/QAEAP26Af2uASEHIABBCGohACAFQRBqIQUgBSAGSQ0ACyAEIAf9GwAgB/0bAWogB/0bAiAH/RsDamo2AgAgBEEEaiEEIANBAWshAwwACwsL';

export interface DotProducts {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  /** `out[i]` (int32) becomes the sum of `rows[i][j]` (int8) times `query[j]` (int16). All but counts are addresses in bytes. */
  dotProducts(rows: number, query: number, dimensions: number, count: number, out: number): void;
}

/** The parts of it that are used: TypeScript has its types among those of browsers only. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: unknown };
};

const compiled = new WebAssembly.Module(Buffer.from(MODULE, 'base64'));

/** With a memory of its own. */
export const dotProducts = (): DotProducts => new WebAssembly.Instance(compiled).exports as DotProducts;
