import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Serves } from '../http/operation.js';
import { readInput } from '../http/request-input.js';
import { ENGINE_LANGUAGES } from '../tokens.js';
import type { EngineLanguages } from './engine-languages.js';
import { listLanguages } from './language-operations.js';

const names = new Intl.DisplayNames('en', { type: 'language' });

@Controller()
export class LanguagesController {
  constructor(@Inject(ENGINE_LANGUAGES) private readonly languages: EngineLanguages) {}

  @Serves(listLanguages)
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await readInput(listLanguages, request);
    const { name, languages, detectsLanguage } = await this.languages.require();
    const named = languages.map((code) => ({ code, name: names.of(code) ?? code }));
    const data = named.toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
    void reply.send({ engine: name, detects_language: detectsLanguage, languages: data });
  }
}
