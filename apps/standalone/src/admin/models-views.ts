import { join } from 'node:path';
import type { CatalogueModel } from '@parlance/engines/local-models';
import { table } from './table.js';

interface ListedModel {
  model: CatalogueModel;
  installed: boolean;
}

const MANY_LANGUAGES = 6;
/** Purposes other than speech to text. */
const PURPOSE: Readonly<Partial<Record<CatalogueModel['family'], string>>> = { segmentation: 'speaker turns', embedding: 'voices' };

/** For scripts. */
export function modelJson({ model, installed }: ListedModel, folder: string): Record<string, unknown> {
  const { name, family, title, languages, license, source, bytes, sha256 } = model;
  return { name, family, title, languages, license, source, bytes, sha256, installed, ...(installed && { folder: join(folder, name) }) };
}

/** One line each, for a terminal. */
export function modelTable(models: readonly ListedModel[]): string {
  const rows = models.map(({ model, installed }) => [
    model.name,
    PURPOSE[model.family] ?? 'speech',
    spoken(model.languages),
    `${Math.round(model.bytes / 1e6)} MB`,
    model.license.name,
    installed ? 'yes' : 'no',
  ]);
  return table(['NAME', 'FOR', 'LANGUAGES', 'DOWNLOAD', 'LICENCE', 'HERE'], rows);
}

function spoken(languages: readonly string[]): string {
  if (languages.length === 0) return 'any';
  return languages.length > MANY_LANGUAGES ? String(languages.length) : languages.join(' ');
}
