import { Controller, Inject, Res } from '@nestjs/common';
import { languageName } from '@parlance/languages';
import type { FastifyReply } from 'fastify';
import { invalidFields } from '../http/field-errors.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { listLanguages, listModels } from './language-operations.js';
import { modelJson } from './model-json.js';
import { findModel, SpeechModels, unknownModel } from './speech-models.js';

@Controller()
export class LanguagesController {
  constructor(@Inject(SpeechModels) private readonly models: SpeechModels) {}

  @Serves(listLanguages)
  async list(@Input() { query }: InputOf<typeof listLanguages>, @Res() reply: FastifyReply): Promise<void> {
    const models = await this.models.require();
    const found = findModel(models, query.model);
    if (!found) throw invalidFields([unknownModel('?model', models)]);
    const { name, languages, detectsLanguage } = found.engine;
    const named = languages.map((code) => ({ code, name: languageName(code) }));
    const data = named.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    void reply.send({ model: found.model, engine: name, detects_language: detectsLanguage, languages: data });
  }

  @Serves(listModels)
  async listModels(@Input() _input: InputOf<typeof listModels>, @Res() reply: FastifyReply): Promise<void> {
    void reply.send({ data: (await this.models.require()).map(modelJson) });
  }
}
