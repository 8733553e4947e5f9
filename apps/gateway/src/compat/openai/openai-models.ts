import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import { z } from 'zod';
import { invalidFields } from '../../http/field-errors.js';
import { findModel, SpeechModels, unknownModel, type SpeechModel } from '../../languages/speech-models.js';

export const openAiConfig = {
  OPENAI_UNKNOWN_MODELS: z
    .enum(['refuse', 'default'])
    .default('refuse')
    .describe('The treatment of models that this server does not have in requests to its OpenAI-compatible API: refuse answers 404 model_not_found; default uses the default model. Names of OpenAI’s own models, such as whisper-1, always mean the default model'),
} as const;

/** OpenAI's models for speech (openapi.yaml), with and without the date of their version. */
const OPENAI_MODEL = /^(?:whisper-1|gpt-transcribe|gpt-4o-(?:mini-)?transcribe(?:-diarize)?(?:-\d{4}-\d\d-\d\d)?)$/;
/** Listed by `GET /models` beside our own models. */
const LISTED_ALIASES = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'];
/** The models are there as long as the server; clients expect a number. */
const CREATED = 0;

interface OpenAiModel {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
}

/** The speech engines under the names that OpenAI's clients use. */
@Injectable()
export class OpenAiModels {
  constructor(
    @Inject(SpeechModels) private readonly models: SpeechModels,
    @Inject(CONFIG) private readonly config: { OPENAI_UNKNOWN_MODELS: 'refuse' | 'default' },
  ) {}

  async list(): Promise<OpenAiModel[]> {
    const own = (await this.models.require()).map(({ model, engine }: SpeechModel) => describe(model, engine.name));
    return [...own, ...LISTED_ALIASES.map((alias) => describe(alias, 'parlance'))];
  }

  /** @throws AppError with model_unknown */
  async get(id: string): Promise<OpenAiModel> {
    const found = (await this.list()).find((model) => model.id === id);
    if (!found) throw invalidFields([unknownModel('/model', await this.models.require())]);
    return found;
  }

  /** @returns the name of the model for the job; undefined for the default one. @throws AppError with model_unknown */
  async resolve(name: string | undefined): Promise<string | undefined> {
    if (name === undefined || OPENAI_MODEL.test(name)) return undefined;
    const models = await this.models.require();
    if (findModel(models, name)) return name;
    if (this.config.OPENAI_UNKNOWN_MODELS === 'default') return undefined;
    throw invalidFields([unknownModel('/model', models)]);
  }
}

const describe = (id: string, owner: string): OpenAiModel => ({ id, object: 'model', created: CREATED, owned_by: owner });
