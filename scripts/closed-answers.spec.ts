import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { closeAnswers } from '../.ci/closed-answers.mjs';
import { flatten } from '../.ci/flat-schemas.mjs';

const read = async () => JSON.parse(await readFile(new URL('../apps/gateway/openapi.json', import.meta.url), 'utf8'));

describe('the description that schemathesis checks answers against', () => {
  let published: Awaited<ReturnType<typeof read>>;
  let closed: typeof published;
  beforeAll(async () => {
    published = flatten(await read());
    closed = closeAnswers(await read());
  });

  it('has no field that is not described, at any depth of an answer', () => {
    const { schemas } = closed.components;
    for (const name of ['TranscriptionSummaryPage', 'Transcription', 'Progress', 'TranscriptionSummary', 'Problem', 'FieldError', 'Quotation', 'Media', 'JobSegmentEvent']) {
      expect([name, schemas[name]]).toMatchObject([name, { properties: expect.any(Object), additionalProperties: false }]);
    }
  });

  it('has no value that is not listed where the published answer takes later ones', () => {
    expect(published.components.schemas.Transcription.properties.status.anyOf).toEqual([{ $ref: '#/components/schemas/JobStatus' }, { type: 'string' }]);
    expect(closed.components.schemas.Transcription.properties.status.anyOf).toEqual([{ $ref: '#/components/schemas/JobStatus' }]);
  });

  it('has no status but those that the operation or the default answer names', () => {
    const { responses } = closed.paths['/api/v1/languages'].get;
    expect(Object.keys(responses)).toEqual(['200', '304', '400', '401', '403', '405', '408', '413', '414', '415', '422', '429', '431', '500', '503']);
    expect(responses['401']).toEqual({ $ref: '#/components/responses/Problem' });
  });

  it('has any key where keys are the caller’s own', () => {
    const { metadata } = closed.components.schemas.Transcription.properties;
    expect(metadata).toEqual(published.components.schemas.Transcription.properties.metadata);
    expect(metadata.additionalProperties).toMatchObject({ type: 'string' });
  });

  it('has the requests as they are published', () => {
    const requests = ({ paths, components: { schemas } }: typeof published) => [
      Object.values(paths).map((path) => Object.values(path as object).map(({ parameters, requestBody }) => [parameters, requestBody])),
      Object.keys(schemas).filter((name) => name.startsWith('New')).map((name) => schemas[name]),
    ];
    expect(requests(closed)).toEqual(requests(published));
  });
});
