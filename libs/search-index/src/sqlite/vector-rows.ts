import type { StoredEmbedding } from './stored-embedding.js';

/** `dot-products.wat` as a module; `vector-rows.spec.ts` checks it against plain arithmetic. */
const MODULE =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcYAgZtZW1vcnkCAAtkb3RQcm9kdWN0cwAACpABAY0BAgJ/AXsCQANAIANFDQH9DAAAAAAAAAAAAAAAAAAAAAAhByABIQUgASACQQF0aiEGA0AgByAA/QEDACAF/QAEAP26Af2uASEHIABBCGohACAFQRBqIQUgBSAGSQ0ACyAEIAf9GwAgB/0bAWogB/0bAiAH/RsDamo2AgAgBEEEaiEEIANBAWshAwwACwsL';

interface DotProducts {
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
const dotProducts = (): DotProducts => new WebAssembly.Instance(compiled).exports as DotProducts;

/** Rows that are multiplied at once; their results lie before the rows. */
const BATCH = 4096;
/** The number of values that are loaded at once. */
const LANES = 8;
const PAGE_BYTES = 65_536;
/** With it, 4096 dimensions cannot overflow an int32. */
const MAX_QUERY_VALUE = 4095;

/** A vector's id and its dot product with the query, but for a factor that all results of a query share. */
export interface Near {
  id: number;
  score: number;
}

/** Vectors of one account: a row of bytes each, all compared with each query. 100k of 256 dimensions take 2 to 5 ms and 26 MB. */
export class VectorRows {
  private readonly kernel = dotProducts();
  private readonly rowBytes: number;
  private readonly queryAt = BATCH * Int32Array.BYTES_PER_ELEMENT;
  private readonly rowsAt: number;
  private readonly ids: number[] = [];
  private readonly scales: number[] = [];
  private readonly rowOf = new Map<number, number>();

  constructor(private readonly dimensions: number) {
    this.rowBytes = Math.ceil(dimensions / LANES) * LANES;
    this.rowsAt = this.queryAt + this.rowBytes * Int16Array.BYTES_PER_ELEMENT;
  }

  get bytes(): number {
    return this.kernel.memory.buffer.byteLength;
  }

  /** Replaces one of the same id. */
  set(id: number, { scale, values }: StoredEmbedding): void {
    const row = this.rowOf.get(id) ?? this.ids.length;
    this.reserve(row + 1);
    this.rowOf.set(id, row);
    this.ids[row] = id;
    this.scales[row] = scale;
    this.row(row).set(values);
  }

  remove(id: number): void {
    const row = this.rowOf.get(id);
    if (row === undefined) return;
    const last = this.ids.length - 1;
    const lastId = this.ids[last] as number;
    this.row(row).set(this.row(last));
    this.row(last).fill(0);
    this.ids[row] = lastId;
    this.scales[row] = this.scales[last] as number;
    this.rowOf.set(lastId, row);
    this.rowOf.delete(id);
    this.ids.length = last;
    this.scales.length = last;
  }

  /** @param among only these; all when absent. @returns the nearest first */
  nearest(query: Float32Array, count: number, among?: ReadonlySet<number>): readonly Near[] {
    this.loadQuery(query);
    const best = new Best(count);
    for (let from = 0; from < this.ids.length; from += BATCH) {
      const rows = Math.min(BATCH, this.ids.length - from);
      this.kernel.dotProducts(this.rowsAt + from * this.rowBytes, this.queryAt, this.rowBytes, rows, 0);
      const products = new Int32Array(this.kernel.memory.buffer, 0, rows);
      for (let row = 0; row < rows; row += 1) {
        const score = (products[row] as number) * (this.scales[from + row] as number);
        if (score <= best.least) continue;
        const id = this.ids[from + row] as number;
        if (among === undefined || among.has(id)) best.add(id, score);
      }
    }
    return best.all();
  }

  private loadQuery(query: Float32Array): void {
    const largest = query.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const target = new Int16Array(this.kernel.memory.buffer, this.queryAt, this.rowBytes);
    target.set(query.map((value) => Math.round((value / largest) * MAX_QUERY_VALUE)));
  }

  private row(row: number): Int8Array {
    return new Int8Array(this.kernel.memory.buffer, this.rowsAt + row * this.rowBytes, this.dimensions);
  }

  private reserve(rows: number): void {
    const missing = this.rowsAt + rows * this.rowBytes - this.bytes;
    if (missing <= 0) return;
    // By an eighth more, as each growth copies all.
    this.kernel.memory.grow(Math.ceil((missing + this.bytes / 8) / PAGE_BYTES));
  }
}

/** The best so many of what it is given, without sorting it all. */
class Best {
  least = -Infinity;
  private kept: Near[] = [];

  constructor(private readonly count: number) {}

  add(id: number, score: number): void {
    this.kept.push({ id, score });
    if (this.kept.length >= this.count * 4) this.cut();
  }

  all(): readonly Near[] {
    this.cut();
    return this.kept;
  }

  private cut(): void {
    this.kept.sort((a, b) => b.score - a.score || a.id - b.id);
    if (this.kept.length < this.count) return;
    this.kept.length = this.count;
    this.least = (this.kept.at(-1) as { score: number }).score;
  }
}
