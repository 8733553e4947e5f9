import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@parlance/runtime';
import { z } from 'zod';
import { invalidFields } from '../../http/field-errors.js';
import { findModel, SpeechModels, unknownModel } from '../../languages/speech-models.js';

export const deepgramConfig = {
  DEEPGRAM_UNKNOWN_MODELS: z
    .enum(['refuse', 'default'])
    .default('refuse')
    .describe('The treatment of models that this server does not have in requests to its Deepgram-compatible API: refuse answers 400; default uses the default model. Names of Deepgram’s own models, such as nova-3, mean the default model unless this server has a model of that name'),
} as const;

/** Deepgram's models for speech, with their domains and sizes. */
const DEEPGRAM_MODEL = /^(?:nova|nova-2|nova-3|enhanced|base|whisper|general|meeting|phonecall|voicemail|finance|conversationalai|video|medical|drivethru|automotive|atc)(?:-[a-z0-9]+)*$/;

/** A model as the answers of Deepgram describe it. */
interface DeepgramModelInfo {
  name: string;
  version: string;
  arch: string;
}

/** The speech engines under the names that Deepgram's clients use. */
@Injectable()
export class DeepgramModels {
  constructor(
    @Inject(SpeechModels) private readonly models: SpeechModels,
    @Inject(CONFIG) private readonly config: { DEEPGRAM_UNKNOWN_MODELS: 'refuse' | 'default' },
  ) {}

  /** @returns the name of the model for the job; undefined for the default one. @throws AppError with model_unknown */
  async resolve(name: string | undefined): Promise<string | undefined> {
    if (name === undefined) return undefined;
    const models = await this.models.require();
    if (findModel(models, name)) return name;
    if (DEEPGRAM_MODEL.test(name) || this.config.DEEPGRAM_UNKNOWN_MODELS === 'default') return undefined;
    throw invalidFields([unknownModel('/model', models)]);
  }
}

/** Engines here have a name and no version. */
export const modelInfo = (name: string): DeepgramModelInfo => ({ name, version: 'parlance', arch: 'parlance' });

/** A UUID that is always the same for a name (RFC 9562, version 8). */
export function modelUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}
