import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NamesThread } from './names-thread.js';
import { REDACTION_POLICIES, type RedactionPolicy } from './policy.js';
import { redactionReader } from './redaction-reader.js';

const recordedAt = new Date('2026-11-18T10:00:00Z');

const names = new NamesThread();
afterAll(() => names.close());

async function read(text: string, language = 'en-US', policies: readonly RedactionPolicy[] = REDACTION_POLICIES): Promise<string[]> {
  const find = await redactionReader({ language, recordedAt }, policies, names);
  return (await find(text)).map(({ policy, from, to }) => `${policy} | ${text.slice(from, to)}`);
}

it('finds names with a new thread while the one before ends', async () => {
  const thread = new NamesThread();
  await thread.find('ask John Smith');
  const closed = thread.close();
  expect(await thread.find('ask John Smith')).toHaveLength(1);
  await closed;
  await thread.close();
});

describe('redaction', () => {
  it.each([
    ['my card is 4111 1111 1111 1111, thanks', 'card_number | 4111 1111 1111 1111'],
    ['it is four one one one, one one one one, one one one one, one one one one', 'card_number | four one one one, one one one one, one one one one, one one one one'],
    ['pay to DE89 3704 0044 0532 0130 00 please', 'iban | DE89 3704 0044 0532 0130 00'],
    ['d e eight nine three seven zero four zero zero four four zero five three two zero one three zero zero zero', 'iban | d e eight nine three seven zero four zero zero four four zero five three two zero one three zero zero zero'],
    ['my card is four triple one, double one one one, uh one one one one, one one double one', 'card_number | four triple one, double one one one, uh one one one one, one one double one'],
    ['forty-one eleven eleven eleven eleven eleven eleven eleven', 'card_number | forty-one eleven eleven eleven eleven eleven eleven eleven'],
    ['five one oh five, one oh five one, oh five one oh, five one double oh', 'card_number | five one oh five, one oh five one, oh five one oh, five one double oh'],
    ['the account is seven four to five to four for nine', 'number_sequence | seven four to five to four for nine'],
    ['my card is 4111 - 1111 - 1111 - 1111', 'card_number | 4111 - 1111 - 1111 - 1111'],
    ['send it to GB82 WEST 1234 5698 7654 32 today', 'iban | GB82 WEST 1234 5698 7654 32'],
    ['the i b a n is d e eight nine three seven zero four double zero four four zero five three two zero one three triple zero', 'iban | d e eight nine three seven zero four double zero four four zero five three two zero one three triple zero'],
    ['my social security number is 123-45-6789', 'national_id | 123-45-6789'],
    ['my social security number is one two three four five six seven eight nine', 'national_id | one two three four five six seven eight nine'],
    ['call (415) 555-0123', 'phone_number | (415) 555-0123'],
    ['john dot smith at example dot com', 'email | john dot smith at example dot com'],
    ['i was born on march third nineteen eighty four', 'date_of_birth | march third nineteen eighty four'],
    ['ask John Smith about it', 'person | John Smith'],
    ['the order number is 83 41 27 and so', 'number_sequence | 83 41 27'],
  ])('finds %s', async (text, place) => expect(await read(text)).toEqual([place]));

  it.each([
    ['Meine Steuernummer ist 65 929 970 489', 'de-DE', 'national_id | 65 929 970 489'],
    ['mi dni es 54362315K', 'es-ES', 'national_id | 54362315K'],
    ['my national insurance number is QQ 12 34 56 C', 'en-GB', undefined],
    ['my national insurance number is AB 12 34 56 C', 'en-GB', 'national_id | AB 12 34 56 C'],
  ])('finds the national numbers of the region: %s (%s)', async (text, language, place) => expect(await read(text, language, ['national_id'])).toEqual(place === undefined ? [] : [place]));

  it.each([
    ['card_number', 'my card is 4111 1111 1111 1112'],
    ['iban', 'pay to DE89 3704 0044 0532 0130 01'],
    ['national_id', 'the part is 123 456 789'],
    ['date_of_birth', 'the meeting is on March 23rd'],
  ] as const)('leaves what fails the check of %s: %s', async (policy, text) => expect(await read(text, 'en-US', [policy])).toEqual([]));

  it.each([
    'your order number is 4111 1111 1111 1111 and it ships today',
    'call +49 1512 7204448 after six',
    'the part INV-4111111111111111 is missing',
    'pay to AT89 4111 1111 1111 1111 now',
    'begin with a t eight nine, four one one one, one one one one, one one one one, one one one one',
  ])('leaves what passes the check of a card by chance: %s', async (text) => expect(await read(text, 'en-US', ['card_number'])).toEqual([]));

  it('finds a card number behind a word that is the code of a country', async () => expect(await read('it should be 3056 930902 5904', 'en-US', ['card_number'])).toEqual(['card_number | 3056 930902 5904']));

  it.each(['she works at example dot com', 'we met at the dot com boom'])('finds no e-mail address in %s', async (text) => expect(await read(text, 'en-US', ['email'])).toEqual([]));

  it.each([
    ['write to anna at example dot com', 'anna at example dot com'],
    ['they wrote to store at example dot com', 'store at example dot com'],
    ['my e-mail is maria lopez at example dot com', 'maria lopez at example dot com'],
    ['my address, if you need it, is shop at example dot com', 'shop at example dot com'],
    ['it goes to j s m i t h at example dot com', 'j s m i t h at example dot com'],
    ['use anna ninety nine at example dot com', 'anna ninety nine at example dot com'],
    ['i underscore k at example dot com', 'i underscore k at example dot com'],
    ['john.smith at example.com is mine', 'john.smith at example.com'],
    ['john at sign example dot com', 'john at sign example dot com'],
    ['the info at example dot com address', 'info at example dot com'],
    ['will tom at example dot com know', 'tom at example dot com'],
    ['my friend tom at example dot com', 'tom at example dot com'],
  ])('finds a spoken e-mail address with all of its words: %s', async (text, address) => expect(await read(text, 'en-US', ['email'])).toEqual([`email | ${address}`]));

  it.each([
    'the new shop at example dot com is closed',
    'the customer portal at example dot com',
    'a much cheaper offer at example dot com',
    "tom's garage at example dot com",
    'look at example dot com',
    'we usually lunch at example dot com',
    'I used to freelance at example dot com',
    'write to us at example dot com',
    'my e-mail is hosted at example dot com',
    'the e-mail provider at example dot com',
    'my e-mail is safely hosted at example dot com',
    'two openings at example dot com',
    'rates at example dot com are low',
    'it costs 20 at example dot com',
    'meet us at example.com',
  ])('finds no e-mail address where a site is spoken of: %s', async (text) => expect(await read(text, 'en-US', ['email'])).toEqual([]));

  it.each(['twenty to thirty people', 'four five to six weeks', 'one for all'])('finds no number in %s', async (text) => expect(await read(text, 'en-US', ['number_sequence'])).toEqual([]));

  it('finds a date of birth before the word', async () => expect(await read('Ich bin am 3. Mai 1981 geboren.', 'de-DE', ['date_of_birth'])).toEqual([expect.stringContaining('3. Mai 1981')]));

  it('finds a card number for an order', async () => expect(await read('for the order number 12 use my card number: 4111 1111 1111 1111', 'en-US', ['card_number'])).toEqual(['card_number | 4111 1111 1111 1111']));

  it.each([
    'I opened it in 2024. 4111 1111 1111 1111 is the card',
    'it expires 12/27, 4111 1111 1111 1111 is the card',
    'first 4111 1111 1111 1111. Then 5, 4111 1111 1111 1111, 12/27, 123.',
  ])('finds a card number behind another number: %s', async (text) => expect(new Set(await read(text, 'en-US', ['card_number']))).toEqual(new Set(['card_number | 4111 1111 1111 1111'])));

  it('finds both of two card numbers in a row', async () =>
    expect(await read('4111 1111 1111 1111, 4012 8888 8888 1881', 'en-US', ['card_number'])).toEqual(['card_number | 4111 1111 1111 1111', 'card_number | 4012 8888 8888 1881']));

  it.each(['They went. - Mary Jones left', 'then "Mary Jones," she said', '... Mary Jones said so', '(Mary Jones) said so', '@Mary Jones said so', '#Mary Jones', '<Mary Jones> said so', '+Mary Jones'])('finds a name and no character around it: %s', async (text) => {
    const find = await redactionReader({ language: 'en-US', recordedAt }, ['person'], names);
    expect((await find(text)).map(({ from, to, value }) => [text.slice(from, to), value])).toEqual([['Mary Jones', 'mary jones']]);
  });

  it('finds a name each time it is said, whatever stands before it', async () => {
    const find = await redactionReader({ language: 'en-US', recordedAt }, ['person', 'location'], names);
    const before = fc.constantFrom('', '@', '#', '<', '+', '(', '"', '- ', '\u{1f600}', '\u{1f3b5} ', '\u00ad', '\u200e', '~', '*', '…');
    const name = fc.constantFrom('Mary Jones', 'John Smith', 'Paris');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(before, name), { minLength: 1, maxLength: 4 }), async (said) => {
        const text = said.map(([prefix, each]) => `then ${prefix}${each} came`).join(', ');
        const places = await find(text);
        const left = places.reduceRight((rest, { from, to }) => rest.slice(0, from) + rest.slice(to), text);
        expect(left).not.toMatch(/Mary|Jones|John|Smith|Paris/);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['<HnD', 'HnD'],
    ['<Paris', 'Paris'],
    ['say <London>', 'London'],
  ])('finds no place that ends beyond the text: %s', async (text, place) => expect(await read(text, 'en-US', ['location'])).toEqual([`location | ${place}`]));

  it('finds what is asked for alone', async () => expect(await read('John Smith, john@example.com, 4111 1111 1111 1111', 'en', ['email'])).toEqual(['email | john@example.com']));

  it('unites what overlaps, so that no part of it stays', async () => {
    const [place] = await read('call me at 41 11 11 11 11 11 11 11 1 1 now', 'en-US', ['phone_number', 'number_sequence', 'card_number']);
    expect(place).toBe('card_number | 41 11 11 11 11 11 11 11 1 1');
  });

  it('finds places within the text, in order and apart, whatever is said', async () => {
    const words = 'twenty three born on 4111 1111 11 d e 89 37 five oh 415 555-0123 march 3rd John Smith Acme Inc Berlin at dot com , . - 1984'.split(' ');
    const find = await redactionReader({ language: 'en-US', recordedAt }, REDACTION_POLICIES, names);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' ')), fc.string()), async (text) => {
        let last = 0;
        for (const { from, to } of await find(text)) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(text.length);
          last = to;
        }
      }),
      { numRuns: 60 },
    );
  });
});
