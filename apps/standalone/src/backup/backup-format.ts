import { z } from 'zod';

export const MANIFEST = 'manifest.json';
export const MEDIA_FOLDER = 'media/objects/';
export const API_KEY = 'api-key';

const FORMAT_VERSION = 1;

/** Parts are files of a data folder. Nothing else is taken out of an archive, so no entry leads elsewhere. */
const DATABASE = /^(documents\/[a-z-]+|events|search|tasks)\.db$/;
const MEDIA = /^media\/objects(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._-]+)+$/;

export const isPart = (name: string): boolean => name === API_KEY || DATABASE.test(name) || MEDIA.test(name);
export const isDatabase = (name: string): boolean => DATABASE.test(name);

const part = z.object({ name: z.string().refine(isPart), bytes: z.int().nonnegative(), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
export type BackupPart = z.infer<typeof part>;

/** The last entry of the archive, so that an archive that was cut has none. */
const manifest = z.object({
  format: z.literal('parlance-backup'),
  format_version: z.literal(FORMAT_VERSION, { error: 'The backup was made by a newer version of Parlance.' }),
  product_version: z.string(),
  /** The one moment that all parts are of. RFC 3339. */
  moment: z.string(),
  /** Milliseconds that all writers were held for it. */
  writers_held_ms: z.number(),
  /** `PRAGMA user_version` of each database. */
  schema_versions: z.record(z.string(), z.int()),
  /** Names in MODELS_FOLDER: they are downloaded again, not kept here. */
  models: z.array(z.string()),
  parts: z.array(part),
});
export type BackupManifest = z.infer<typeof manifest>;

export const newManifest = (content: Omit<BackupManifest, 'format' | 'format_version'>): BackupManifest => ({ format: 'parlance-backup', format_version: FORMAT_VERSION, ...content });

/** @returns undefined when the text is none */
export function parseManifest(text: string): BackupManifest | undefined {
  try {
    return manifest.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
