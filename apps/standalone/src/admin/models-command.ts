import { readFileSync } from 'node:fs';
import { createEgress } from '@parlance/egress';
import { catalogueModel, DEFAULT_MODELS_MIRROR, MODEL_CATALOGUE, ModelStore, type CatalogueModel, type FileFault, type ModelRecord } from '@parlance/engines/local-models';
import { notFound, readConfig } from '@parlance/platform';
import { modelsFolder } from '@parlance/runtime/open-ports';
import { processConfig } from '@parlance/runtime/process-config';
import { Command } from 'commander';
import { adminConfig } from './admin-config.js';
import { AdminFailure, EXIT_FAILED } from './admin-failure.js';
import { json, type AdminTools } from './admin-tools.js';
import { modelJson, modelTable } from './models-views.js';
import { jsonOption } from './options.js';

const { PARLANCE_DATA, MODELS_FOLDER } = processConfig;
/** A mirror that the operator sets may be in a private network; the public default must not lead into one. */
const ANYWHERE = ['0.0.0.0/0', '::/0'];
const PROGRESS_STEPS = 10;

interface Checked {
  record: ModelRecord;
  faults: FileFault[];
}

type WithStore = (work: (store: ModelStore, folder: string) => Promise<void>, progress?: Progress) => Promise<void>;

/** Models that run on this machine: which there are, getting them, and whether they are still whole. */
export function modelsCommand(tools: AdminTools, catalogue: readonly CatalogueModel[] = MODEL_CATALOGUE): Command {
  const withStore = storeOf(tools, catalogue);
  return new Command('models')
    .description('manage models that run on this machine (MODELS_FOLDER)')
    .addCommand(listCommand(tools, withStore))
    .addCommand(getCommand(tools, withStore))
    .addCommand(verifyCommand(tools, withStore));
}

const storeOf =
  ({ env, say }: AdminTools, catalogue: readonly CatalogueModel[]): WithStore =>
  async (work, progress = { of: undefined }) => {
    const config = readConfig({ PARLANCE_DATA, MODELS_FOLDER, ...adminConfig }, { env, readFile: (path) => readFileSync(path, 'utf8') });
    const folder = modelsFolder(config);
    const egress = createEgress({ allow: config.MODELS_MIRROR === DEFAULT_MODELS_MIRROR ? [] : ANYWHERE });
    try {
      await work(new ModelStore({ folder, catalogue, mirror: config.MODELS_MIRROR, egress, onProgress: (bytes) => report(progress, bytes, say) }), folder);
    } finally {
      await egress.close();
    }
  };

const listCommand = ({ print }: AdminTools, withStore: WithStore): Command =>
  new Command('list')
    .description('list the known models with size, licence and whether they are installed')
    .addOption(jsonOption())
    .action((options: { json?: true }) =>
      withStore(async (store, folder) => {
        const found = await Promise.all(store.catalogue.map(async (model) => ({ model, installed: (await store.installed(model.name)) !== undefined })));
        print(options.json ? json(found.map((one) => modelJson(one, folder))) : modelTable(found));
      }),
    );

const getCommand = ({ print, say }: AdminTools, withStore: WithStore): Command =>
  new Command('get')
    .description('download, verify and unpack models; resumes an interrupted download')
    .argument('<names...>')
    .option('--again', 'also download models that are installed')
    .addOption(jsonOption())
    .action((names: string[], options: { again?: true; json?: true }) => {
      const progress: Progress = { of: undefined };
      return withStore(async (store) => {
        const got: ModelRecord[] = [];
        for (const model of names.map((name) => known(name, store.catalogue))) {
          const here = options.again ? undefined : await store.installed(model.name);
          if (!here) {
            say(`${model.title}: ${megabytes(model.bytes)}, licence ${model.license.name} (${model.license.url})`);
            progress.of = { model, step: 0 };
          }
          got.push(here ?? (await store.get(model)));
          if (!options.json) print(here ? `${model.name} is already installed` : `got ${model.name}`);
        }
        if (options.json) print(json(got));
      }, progress);
    });

const verifyCommand = ({ print }: AdminTools, withStore: WithStore): Command =>
  new Command('verify')
    .description('read the files of installed models again and compare their checksums; all models, or the ones named')
    .argument('[names...]')
    .addOption(jsonOption())
    .action((names: string[], options: { json?: true }) =>
      withStore(async (store) => {
        const checked = await check(store, names);
        if (options.json) print(json(checked.map(({ record, faults }) => ({ name: record.name, ok: faults.length === 0, faults }))));
        else if (checked.length === 0) print('No models.');
        else for (const { record, faults } of checked) print(`${record.name}: ${faults.length === 0 ? 'whole' : faults.map(({ path, fault }) => `${path} is ${fault}`).join(', ')}`);
        const damaged = checked.filter(({ faults }) => faults.length > 0).map(({ record }) => record.name);
        if (damaged.length > 0) throw new AdminFailure(`Damaged; "parlance-admin models get --again ${damaged.join(' ')}" downloads them again.`, EXIT_FAILED);
      }),
    );

function known(name: string, catalogue: readonly CatalogueModel[]): CatalogueModel {
  const model = catalogueModel(name, catalogue);
  if (!model) throw notFound(`A model ${name} ("parlance-admin models list" shows the known models)`);
  return model;
}

async function check(store: ModelStore, names: readonly string[]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const name of names.length > 0 ? names.map((name) => known(name, store.catalogue).name) : store.catalogue.map((model) => model.name)) {
    const record = await store.installed(name);
    if (record) checked.push({ record, faults: await store.verify(record) });
    else if (names.length > 0) throw notFound(`The model ${name}`);
  }
  return checked;
}

interface Progress {
  of: { model: CatalogueModel; step: number } | undefined;
}

/** A line each tenth. */
function report({ of }: Progress, bytes: number, say: (text: string) => void): void {
  if (!of) return;
  const step = Math.floor((bytes / of.model.bytes) * PROGRESS_STEPS);
  if (step <= of.step) return;
  of.step = step;
  say(`${of.model.name}: ${step * (100 / PROGRESS_STEPS)} % of ${megabytes(of.model.bytes)}`);
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
