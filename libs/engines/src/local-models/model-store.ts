import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Egress } from '@parlance/egress';
import { DEFAULT_MODELS_MIRROR, MODEL_CATALOGUE, type CatalogueModel } from './model-catalogue.js';
import { diskFault, modelFault } from './model-fault.js';
import { faultsOf, flush, readRecord, writeRecord, type FileFault, type ModelRecord } from './model-record.js';
import { download } from './resumable-download.js';
import { unpackModel } from './unpack-model.js';

/** Below the models folder: what is on its way, so that a rename puts it into place at once. */
const ON_THE_WAY = '.partial';

interface ModelStoreOptions {
  folder: string;
  /** Base of the addresses; default: the releases of sherpa-onnx. */
  mirror?: string;
  catalogue?: readonly CatalogueModel[];
  egress: Pick<Egress, 'request'>;
  onProgress?: (bytes: number) => void;
  /** Between tries of a download. */
  retryDelayMs?: number;
}

/** The models of MODELS_FOLDER, each in a folder of its name. */
export class ModelStore {
  readonly catalogue: readonly CatalogueModel[];

  constructor(private readonly options: ModelStoreOptions) {
    this.catalogue = options.catalogue ?? MODEL_CATALOGUE;
  }

  /** The record of a model that was got, undefined where none was. */
  installed(name: string): Promise<ModelRecord | undefined> {
    return readRecord(this.folderOf(name));
  }

  /** Every model that was got, read again from the disk. */
  async verify(record: ModelRecord): Promise<FileFault[]> {
    return faultsOf(this.folderOf(record.name), record);
  }

  /**
   * Downloads, checks, unpacks, and puts the model into place all at once: who looks sees the old one, or the new one, or none.
   * @throws AppError model_unavailable; the next call goes on where a download ended.
   */
  async get(model: CatalogueModel): Promise<ModelRecord> {
    const { folder, mirror = DEFAULT_MODELS_MIRROR, egress, onProgress, retryDelayMs } = this.options;
    const way = join(folder, ON_THE_WAY);
    const source = join(way, `${model.name}.download`);
    try {
      await mkdir(way, { recursive: true });
      await this.requireRoom(model, source);
      const url = `${mirror.replace(/\/$/, '')}/${model.source}`;
      const { bytes, sha256 } = model;
      await download({ url, path: source, bytes, sha256, egress, ...(onProgress && { onProgress }), ...(retryDelayMs !== undefined && { retryDelayMs }) });
      return await this.install(model, source);
    } catch (error) {
      throw diskFault(error, folder);
    }
  }

  private async install(model: CatalogueModel, source: string): Promise<ModelRecord> {
    const { folder } = this.options;
    const [fresh, old] = ['new', 'old'].map((which) => join(folder, ON_THE_WAY, `${model.name}.${which}`)) as [string, string];
    await rm(fresh, { recursive: true, force: true });
    await rm(old, { recursive: true, force: true });
    try {
      await unpackModel(source, model, fresh);
      const record = await writeRecord(fresh, model);
      const place = this.folderOf(model.name);
      // An existing folder is moved aside first: a rename does not replace a folder.
      await rename(place, old).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      await rename(fresh, place);
      await flush(folder);
      await rm(source, { force: true });
      return record;
    } finally {
      await rm(fresh, { recursive: true, force: true });
      await rm(old, { recursive: true, force: true });
    }
  }

  /** For what is still to come; what is unpacked beside it is about as large. */
  private async requireRoom({ name, bytes }: CatalogueModel, source: string): Promise<void> {
    const { bavail, bsize } = await statfs(this.options.folder);
    const needed = 2 * bytes - (await stat(source).then(({ size }) => size, () => 0));
    if (bavail * bsize < needed) throw modelFault(`${name} needs ${megabytes(needed)} more in ${this.options.folder}, where ${megabytes(bavail * bsize)} are free.`);
  }

  private folderOf(name: string): string {
    return join(this.options.folder, name);
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6)} MB`;
