import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { HoldCheck } from '../holds/hold-check.js';
import { ifMatchOf, versionTag } from '../http/entity-tags.js';
import type { InputOf } from '../http/request-input.js';
import { Input, Serves } from '../http/serves.js';
import type { Caller } from '../keys/authenticator.js';
import { CurrentCaller } from '../keys/current-caller.js';
import { Vocabularies } from './vocabularies.js';
import type { Vocabulary, VocabularyPhrase } from './vocabulary.js';
import { createVocabulary, deleteVocabulary, getVocabulary, listVocabularies, updateVocabulary, type PhraseJson } from './vocabulary-operations.js';

@Controller()
export class VocabulariesController {
  constructor(
    @Inject(Vocabularies) private readonly vocabularies: Vocabularies,
    @Inject(HoldCheck) private readonly holds: Pick<HoldCheck, 'requireNone'>,
  ) {}

  @Serves(createVocabulary)
  async create(@Input() { body }: InputOf<typeof createVocabulary>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const vocabulary = await this.vocabularies.create(accountId, { name: body.name, phrases: body.phrases.map(phraseOf) });
    void reply.status(201).header('location', `/api/v1/vocabularies/${vocabulary.id}`).send(vocabularyJson(vocabulary));
  }

  @Serves(listVocabularies)
  async list(@Input() { query }: InputOf<typeof listVocabularies>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { vocabularies, nextCursor } = await this.vocabularies.list(accountId, query);
    void reply.send({ data: vocabularies.map((each) => ({ ...aboutJson(each), phrase_count: each.phrases.length })), next_cursor: nextCursor });
  }

  @Serves(getVocabulary)
  async get(@Input() { params }: InputOf<typeof getVocabulary>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    send(reply, await this.vocabularies.get(accountId, params.vocabulary_id));
  }

  @Serves(updateVocabulary)
  async update(@Req() request: FastifyRequest, @Input() { params, body }: InputOf<typeof updateVocabulary>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    const changes = { ...(body.name !== undefined && { name: body.name }), ...(body.phrases && { phrases: body.phrases.map(phraseOf) }) };
    send(reply, await this.vocabularies.change(accountId, params.vocabulary_id, changes, ifMatchOf(request)));
  }

  @Serves(deleteVocabulary)
  async delete(@Input() { params }: InputOf<typeof deleteVocabulary>, @CurrentCaller() { accountId }: Caller, @Res() reply: FastifyReply): Promise<void> {
    await this.vocabularies.get(accountId, params.vocabulary_id);
    await this.holds.requireNone('The vocabulary', accountId);
    await this.vocabularies.remove(accountId, params.vocabulary_id);
    void reply.status(204).send();
  }
}

function send(reply: FastifyReply, vocabulary: Vocabulary): void {
  void reply.header('etag', versionTag(vocabulary.version)).send(vocabularyJson(vocabulary));
}

const phraseOf = ({ phrase, sounds_like: soundsLike }: PhraseJson): VocabularyPhrase => ({ phrase, soundsLike });

const aboutJson = ({ id, name, createdAt, updatedAt }: Vocabulary) => ({ vocabulary_id: id, name, created_at: createdAt, updated_at: updatedAt });

const vocabularyJson = (vocabulary: Vocabulary) => ({ ...aboutJson(vocabulary), phrases: vocabulary.phrases.map(({ phrase, soundsLike }) => ({ phrase, sounds_like: soundsLike })) });
