import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import { EngineLanguages } from './engine-languages.js';
import { listLanguages } from './language-operations.js';

const names = new Intl.DisplayNames('en', { type: 'language' });

@Controller()
export class LanguagesController {
  constructor(@Inject(EngineLanguages) private readonly languages: EngineLanguages) {}

  @Serves(listLanguages)
  async list(@Input() _input: InputOf<typeof listLanguages>, @Res() reply: FastifyReply): Promise<void> {
    const { name, languages, detectsLanguage } = await this.languages.require();
    const named = languages.map((code) => ({ code, name: names.of(code) ?? code }));
    const data = named.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    void reply.send({ engine: name, detects_language: detectsLanguage, languages: data });
  }
}
