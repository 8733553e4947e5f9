import { Inject, Injectable } from '@nestjs/common';
import { invalidFields } from '../../http/field-errors.js';
import { SpeechModels, unknownModel, type SpeechModel } from '../../languages/speech-models.js';

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

/** The list of the speech engines, as OpenAI's clients read it. */
@Injectable()
export class OpenAiModels {
  constructor(@Inject(SpeechModels) private readonly models: SpeechModels) {}

  async list(): Promise<OpenAiModel[]> {
    const own = (await this.models.require()).map(({ model, engine }: SpeechModel) => describe(model, engine.name));
    const aliases = LISTED_ALIASES.filter((alias) => own.every(({ id }) => id !== alias));
    return [...own, ...aliases.map((alias) => describe(alias, 'parlance'))];
  }

  /** @throws AppError with model_unknown */
  async get(id: string): Promise<OpenAiModel> {
    const found = (await this.list()).find((model) => model.id === id);
    if (!found) throw invalidFields([unknownModel('/model', await this.models.require())]);
    return found;
  }
}

const describe = (id: string, owner: string): OpenAiModel => ({ id, object: 'model', created: CREATED, owned_by: owner });
