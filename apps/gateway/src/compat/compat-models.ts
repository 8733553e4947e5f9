import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import { z } from 'zod';
import { invalidFields } from '../http/field-errors.js';
import { findModel, SpeechModels, unknownModel } from '../languages/speech-models.js';

const unknownModels = (refusal: string, api: string, example: string) =>
  z
    .enum(['refuse', 'default'])
    .default('refuse')
    .describe(`The treatment of models that this server does not have in requests to its ${api}-compatible API: refuse answers ${refusal}; default uses the default model. Names of ${api}’s own models, such as ${example}, mean the default model unless this server has a model of that name`);

export const compatModelsConfig = {
  OPENAI_UNKNOWN_MODELS: unknownModels('404 model_not_found', 'OpenAI', 'whisper-1'),
  DEEPGRAM_UNKNOWN_MODELS: unknownModels('400', 'Deepgram', 'nova-3'),
} as const;

/** The names that each vendor gives its models for speech. */
const ALIASES = {
  /** openapi.yaml, with and without the date of a version, and the sizes of Whisper: clients for any server of this API send those by default. */
  openai: /^(?:whisper-(?:1|tiny|base|small|medium|large|turbo)(?:-[a-z0-9]+)*|gpt-realtime-whisper|gpt-(?:4o-|4o-mini-|live-)?transcribe(?:-diarize)?(?:-\d{4}-\d\d-\d\d)?)$/,
  /** With their domains and sizes. */
  deepgram: /^(?:nova|nova-2|nova-3|enhanced|base|whisper|general|meeting|phonecall|voicemail|finance|conversationalai|video|medical|drivethru|automotive|atc)(?:-[a-z0-9]+)*$/,
  assemblyai: /^(?:best|nano|slam-1|conformer-2|universal[\w.-]*)$/,
} as const;

export type ModelApi = keyof typeof ALIASES;

/** The speech engines under the names that clients of other vendors' APIs use. */
@Injectable()
export class CompatModels {
  constructor(
    @Inject(SpeechModels) private readonly models: Pick<SpeechModels, 'require'>,
    @Inject(CONFIG) private readonly config: Record<keyof typeof compatModelsConfig, 'refuse' | 'default'>,
  ) {}

  /**
   * A model of this server comes before a vendor's name for one of its own.
   * @returns the name of the model for the job; undefined for the default one
   * @throws AppError with model_unknown
   */
  async resolve(api: ModelApi, name: string | undefined): Promise<string | undefined> {
    if (name === undefined) return undefined;
    const models = await this.models.require();
    if (findModel(models, name)) return name;
    if (ALIASES[api].test(name) || this.usesDefault(api)) return undefined;
    throw invalidFields([unknownModel('/model', models)]);
  }

  private usesDefault(api: ModelApi): boolean {
    const { OPENAI_UNKNOWN_MODELS: openai, DEEPGRAM_UNKNOWN_MODELS: deepgram } = this.config;
    return (api === 'openai' && openai === 'default') || (api === 'deepgram' && deepgram === 'default');
  }
}
