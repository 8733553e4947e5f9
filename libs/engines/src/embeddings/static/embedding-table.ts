import { open, type FileHandle } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { engineFailed } from '../../speech/engine-errors.js';

export const SHIPPED_TABLE = fileURLToPath(new URL('../../../models/static-english-256.safetensors', import.meta.url));
const LENGTH_BYTES = 8;
/** A few hundred in truth. */
const MAX_HEADER_BYTES = 1024 * 1024;

/** A vector for each word piece: `scales[row] * vectors[row * dimensions + i]`, its weight included. */
export interface EmbeddingTable {
  name: string;
  dimensions: number;
  vocabulary: readonly string[];
  scales: Float32Array;
  vectors: Int8Array;
}

const tensor = (dtype: string, rank: number) =>
  z.object({ dtype: z.literal(dtype), shape: z.array(z.int().positive()).length(rank), data_offsets: z.tuple([z.int(), z.int()]) });

const HEADER = z
  .object({
    __metadata__: z.object({ name: z.string() }),
    vocabulary: tensor('U8', 1),
    scales: tensor('F32', 1),
    vectors: tensor('I8', 2),
  })
  .transform(({ __metadata__: { name }, ...tensors }) => ({ name, ...tensors }));

/** Reads a table as `scripts/distill-embeddings.py` writes it (safetensors). @throws AppError engine_failed, not retryable */
export async function readEmbeddingTable(path: string = SHIPPED_TABLE): Promise<EmbeddingTable> {
  try {
    await using file = await open(path);
    return await readTable(file);
  } catch (cause) {
    throw engineFailed('The table of the built-in embeddings cannot be read.', { retryable: false, cause });
  }
}

/** Each tensor into memory of its own, without a copy of the file between. */
async function readTable(file: FileHandle): Promise<EmbeddingTable> {
  const headerBytes = Number(new DataView(await readPart(file, 0, LENGTH_BYTES)).getBigUint64(0, true));
  if (headerBytes > MAX_HEADER_BYTES) throw new RangeError('The header is too long.');
  const header = HEADER.parse(JSON.parse(textOf(await readPart(file, LENGTH_BYTES, headerBytes))));
  const data = ({ data_offsets: [from, before] }: { data_offsets: [number, number] }) => readPart(file, LENGTH_BYTES + headerBytes + from, before - from);
  const [rows = 0, dimensions = 0] = header.vectors.shape;
  const table = {
    name: header.name,
    dimensions,
    vocabulary: textOf(await data(header.vocabulary)).split('\n'),
    scales: new Float32Array(await data(header.scales)),
    vectors: new Int8Array(await data(header.vectors)),
  };
  if (table.vocabulary.length !== rows || table.scales.length !== rows || table.vectors.length !== rows * dimensions) throw new RangeError('The tensors do not match each other.');
  return table;
}

async function readPart(file: FileHandle, position: number, length: number): Promise<ArrayBuffer> {
  const part = new Uint8Array(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(part, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new RangeError('The table is truncated.');
    filled += bytesRead;
  }
  return part.buffer;
}

const textOf = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString('utf8');
