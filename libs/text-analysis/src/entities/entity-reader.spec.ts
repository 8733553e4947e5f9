import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entityReader } from './entity-reader.js';

const recordedAt = new Date('2026-11-18T10:00:00Z');
const read = async (text: string, language = 'en-US') => {
  const entities = (await entityReader({ language, recordedAt }))(text);
  return entities.map(({ type, from, to, normalized }) => [type, text.slice(from, to), ...(normalized === undefined ? [] : [normalized])].join(' | '));
};

describe('entities by rules', () => {
  it.each([
    ['on March 23rd, 2026', 'date | March 23rd, 2026 | 2026-03-23'],
    ['the twenty third of march', 'date | twenty third of march'],
    ['on March 23rd 2026 at 5 p.m. sharp', 'date | March 23rd 2026 at 5 p.m. | 2026-03-23T17:00'],
    ['in June 2025', 'date | June 2025 | 2025-06'],
    ['since nineteen eighty four', 'date | nineteen eighty four | 1984'],
    ['see you tomorrow', 'date | tomorrow | 2026-11-19'],
    ['on 12/25/2025', 'date | 12/25/2025 | 2025-12-25'],
    ['until next friday', 'date | next friday'],
    ['at 17:45', 'time | 17:45 | 17:45'],
    ['at five p m', 'time | five p m | 17:00'],
    ['at half past three', 'time | half past three'],
  ])('are dates and times: %s', async (text, entity) => expect(await read(text)).toEqual([entity]));

  it.each(['on 03/04/2026', 'on 03/04/26'])('have no value where day and month may be exchanged: %s', async (text) => expect(await read(text)).toEqual([`date | ${text.slice(3)}`]));

  it.each(['I may go', 'he sat down in the sun', 'look at 3 options', 'in 10 minutes', 'page 42 of 300', 'version 1.2.3', 'a thousand reasons', '20 people in the street', 'one of those', 'no one won', '12 and 7 won prizes', 'a yen for travel', 'one yen for it'])(
    'are not found in words of another meaning: %s',
    async (text) => expect(await read(text)).toEqual([]),
  );

  it.each([
    ['it is five hundred dollars.', 'en-US', 'money | five hundred dollars | USD 500'],
    ['five dollars and fifty cents', 'en-US', 'money | five dollars and fifty cents | USD 5.5'],
    ['costs $1.25 million', 'en', 'money | $1.25 million | USD 1250000'],
    ['costs $20', 'en-CA', 'money | $20 | CAD 20'],
    ['twenty pounds', 'en-GB', 'money | twenty pounds | GBP 20'],
    ['ninety nine cents', 'en-US', 'money | ninety nine cents | USD 0.99'],
    ['das kostet 1.234,56 Euro', 'de', 'money | 1.234,56 Euro | EUR 1234.56'],
    ['för 300 kr', 'sv', 'money | 300 kr | SEK 300'],
    ['it costs five thousand yen', 'en', 'money | five thousand yen | JPY 5000'],
    ['a thousand yen', 'en', 'money | a thousand yen | JPY 1000'],
    ['7 won', 'ko', 'money | 7 won | KRW 7'],
    ['two point five per cent', 'en', 'percentage | two point five per cent | 2.5%'],
    ['12,5 Prozent', 'de', 'percentage | 12,5 Prozent | 12.5%'],
  ])('are amounts: %s (%s)', async (text, language, entity) => expect(await read(text, language)).toEqual([entity]));

  it('are pounds of money only where they are no weight', async () => expect(await read('it weighs twenty pounds', 'en-US')).toEqual([]));

  it.each([
    ['write to Ann.Baker@Example.org.', 'email | Ann.Baker@Example.org | ann.baker@example.org'],
    ['john dot smith at example dot com', 'email | john dot smith at example dot com | john.smith@example.com'],
    ['see https://Example.org/Docs?id=3.', 'url | https://Example.org/Docs?id=3 | https://example.org/Docs?id=3'],
    ['look at example dot com slash pricing', 'url | example dot com slash pricing | example.com/pricing'],
  ])('are addresses on the net, also as they are spoken: %s', async (text, entity) => expect(await read(text)).toEqual([entity]));

  it.each([
    ['call (415) 555-0123 now', 'en-US', 'phone_number | (415) 555-0123 | +14155550123'],
    ['at four one five five five five oh one two three', 'en-US', 'phone_number | four one five five five five oh one two three | +14155550123'],
    ['at four one five, five five five, zero one two three', 'en-US', 'phone_number | four one five, five five five, zero one two three | +14155550123'],
    ['+44 20 7946 0958', 'en-US', 'phone_number | +44 20 7946 0958 | +442079460958'],
    ['(415) 555-0123', 'en', 'phone_number | (415) 555-0123'],
    ['my phone number is 555 0123 99', 'en', 'phone_number | 555 0123 99'],
  ])('are telephone numbers, with a value when the country is known: %s (%s)', async (text, language, entity) => expect(await read(text, language)).toEqual([entity]));

  it.each([
    ['at twelve elm street', 'en', 'twelve elm street'],
    ['at 221 Baker Street, Springfield, IL 62704, she', 'en', '221 Baker Street, Springfield, IL 62704'],
    ['in der Hauptstraße 5, 10115 Berlin.', 'de-DE', 'Hauptstraße 5, 10115 Berlin'],
    ['au 12 rue de la Paix', 'fr', '12 rue de la Paix'],
    ['en la calle Mayor 12', 'es', 'calle Mayor 12'],
  ])('are postal addresses: %s', async (text, language, address) => expect(await read(text, language)).toEqual([`address | ${address}`]));

  it('are people with a title and organisations with a legal form', async () =>
    expect(await read('Dr. Jones of Acme Corp. met Ann')).toEqual(['person | Dr. Jones', 'organization | Acme Corp.']));

  it('lie within the text, in order and apart, whatever is said', async () => {
    const words = 'twenty three dollars at dot com john five oh 415 555-0123 march 3rd 2026 p m percent street 12 Elm , . $5 half past may Euro @ www.a.com'.split(' ');
    for (const language of ['en-US', 'de', 'und', 'x-nothing']) {
      const reader = await entityReader({ language, recordedAt });
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' ')), fc.string()), async (text) => {
          const entities = reader(text);
          for (const [index, { from, to }] of entities.entries()) {
            expect(from).toBeGreaterThanOrEqual(index === 0 ? 0 : (entities[index - 1]?.to ?? 0));
            expect(to).toBeGreaterThan(from);
            expect(to).toBeLessThanOrEqual(text.length);
            expect(text.slice(from, to).trim()).toBe(text.slice(from, to));
          }
        }),
        { numRuns: 60 },
      );
    }
  });
});
