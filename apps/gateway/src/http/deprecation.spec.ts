import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { ROUTE_TABLE } from '../docs/route-table.js';
import { listLanguages } from '../languages/language-operations.js';
import { announceDeprecations } from './deprecation.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a deprecated operation', () => {
  const answerOf = async (deprecated?: { since: string; sunset?: string; successor?: string; link?: string }, status = 200) => {
    const server = fastify();
    announceDeprecations(server);
    server.get('/', { config: { operation: { ...listLanguages, ...(deprecated && { deprecated }) } } }, (_request, reply) => reply.status(status).send('{}'));
    const { headers } = await server.inject('/');
    await server.close();
    return headers;
  };

  it('says since when it is, until when it works, and what to use instead', async () => {
    const headers = await answerOf({ since: '2026-12-01', sunset: '2028-01-01', successor: '/api/v1/models', link: '/docs' });
    expect(headers).toMatchObject({
      deprecation: '@1796083200',
      sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
      link: '</docs>; rel="deprecation"; type="text/html", </api/v1/models>; rel="successor-version"',
    });
  });

  it('says so when it refuses as well', async () => {
    expect(await answerOf({ since: '2026-12-01' }, 404)).toMatchObject({ deprecation: '@1796083200' });
  });

  it('is the only one that does', async () => {
    expect(await answerOf()).not.toHaveProperty('deprecation');
  });

  it('works for at least a year after it was deprecated', () => {
    const announced = ROUTE_TABLE.flatMap(({ id, deprecated }) => (deprecated?.sunset === undefined ? [] : [{ id, days: (Date.parse(deprecated.sunset) - Date.parse(deprecated.since)) / DAY_MS }]));
    expect(announced.filter(({ days }) => days < 365)).toEqual([]);
  });
});
