import { describe, expect, it } from '@jest/globals';
import { marked, type SearchFixture } from './search-fixture.js';

export function describeWords(fixture: SearchFixture): void {
  describe('words', () => {
    it('are found whatever their case, accents and width, and marked as they stand there', async () => {
      await fixture.put('job1', ['Das Café in der STRASSE', 'Ο Οδυσσέας γυρίζει', 'Ёлка стоит', 'İstanbul ve ağaç', 'ＦＵＬＬ width', 'Smørrebrød på Łódź']);
      const marks = async (text: string) => (await fixture.search({ text, fuzziness: 'none' })).hits.flatMap(marked);
      expect(await marks('cafe straße')).toEqual(['Café', 'STRASSE']);
      expect(await marks('ΟΔΥΣΣΈΑΣ')).toEqual(['Οδυσσέας']);
      expect(await marks('елка')).toEqual(['Ёлка']);
      expect(await marks('istanbul AGAC')).toEqual(['İstanbul', 'ağaç']);
      expect(await marks('full')).toEqual(['ＦＵＬＬ']);
      expect(await marks('smorrebrod lodz')).toEqual(['Smørrebrød', 'Łódź']);
    });

    it.each([
      ['Arabic with and without points', 'ذهب الوَلَد إلى المدرسة', 'الولد', 'الوَلَد'],
      ['Hebrew with and without points', 'שָׁלוֹם לכולם', 'שלום', 'שָׁלוֹם'],
      ['Devanagari', 'मुझे हिन्दी पसंद है', 'हिन्दी', 'हिन्दी'],
      ['Chinese', '我们明天讨论预算问题', '预算', '预算'],
      ['Chinese, one character', '我家有一只猫', '猫', '猫'],
      ['Japanese', '明日の予算会議は十時からです', '予算会議', '予算会議'],
      ['Japanese kana of half width', 'ｶﾞｲﾄﾞを読む', 'ガイド', 'ｶﾞｲﾄﾞ'],
      ['Thai', 'พรุ่งนี้เราจะประชุมเรื่องงบประมาณ', 'งบประมาณ', 'งบประมาณ'],
      ['Korean with a particle', '내일 회의를 합니다', '회의', '회의'],
      ['beyond the basic plane', '𝐁udget of 𠮷野家', '𠮷野', '𠮷野'],
      ['digits', 'invoice 2026-17 of room 4b', '4B', '4b'],
    ])('are found in %s', async (_, text, query, mark) => {
      await fixture.put('job1', [text, 'something else entirely', '全然違う話をしています']);
      const { hits } = await fixture.search({ text: query, fuzziness: 'none' });
      expect(hits.map(({ passageId }) => passageId)).toEqual(['p1']);
      // Other words of a text without spaces may share characters with it.
      expect(hits.flatMap(marked)).toContain(mark);
    });

    it('need not all be there; a passage with more of them, or rarer ones, comes first', async () => {
      await fixture.put('job1', ['the budget is fine', 'the weather is fine', 'the budget for marketing is fine', 'marketing and budget of winter']);
      expect((await fixture.found('marketing budget')).slice(0, 2).toSorted()).toEqual(['job1/p3', 'job1/p4']);
      expect((await fixture.found({ text: 'fine winter', fuzziness: 'none' }))[0]).toBe('job1/p4');
    });

    it('may have typos, but not when asked for as they are', async () => {
      await fixture.put('job1', ['the marketing budget', 'a parliament of owls', 'nothing to see']);
      for (const typo of ['budgt', 'bugdet', 'budgets', 'budhet']) {
        const { hits } = await fixture.search(typo);
        expect(hits.map(({ passageId }) => passageId)).toEqual(['p1']);
        expect(hits.flatMap(marked)).toEqual(['budget']);
      }
      expect(await fixture.found('parlaiment')).toEqual(['job1/p2']);
      expect(await fixture.found({ text: 'budgt', fuzziness: 'none' })).toEqual([]);
    });

    it('as they are come before what may be meant', async () => {
      await fixture.put('job1', ['the mating season', 'the meeting started late']);
      await fixture.put('job2', ['the seating was good, a melting pot']);
      expect((await fixture.found('meeting'))[0]).toBe('job1/p2');
    });
  });

  describe('a phrase', () => {
    const texts = ['we need a new budget plan', 'the budget is new and needs a plan', 'plan the new year', '新しい予算会議', '予算の会議'];

    it('stands together in every hit', async () => {
      await fixture.put('job1', texts);
      expect(await fixture.found('"new budget"')).toEqual(['job1/p1']);
      expect(await fixture.found('“New  Budget”')).toEqual(['job1/p1']);
      expect(await fixture.found({ text: 'new budget', phrase: true })).toEqual(['job1/p1']);
      expect(await fixture.found('"予算会議"')).toEqual(['job1/p4']);
      expect(await fixture.found('"budget new"')).toEqual([]);
    });

    it('narrows what other words find, which only change the order', async () => {
      await fixture.put('job1', [...texts, 'a new budget plan for the year']);
      expect(await fixture.found('"new budget" year')).toEqual(['job1/p6', 'job1/p1']);
      expect((await fixture.found('"budget" "new"')).toSorted()).toEqual(['job1/p1', 'job1/p2', 'job1/p6']);
      expect((await fixture.search('"new budget" year')).hits.map(marked)[0]).toEqual(['new budget', 'year']);
    });
  });

  describe('a query', () => {
    const strange = ['"', '""', '" "', '', ' ', '*', 'AND', 'NOT (', 'a:b', '-alpha', 'alpha*', '{}[]', '\\', "'; DROP TABLE jobs; --", '\0', '🎉', '\ud800', '%', 'NEAR(alpha beta)', 'text:alpha', '~1', 'alpha^5'];

    it.each(strange)('may be %j', async (text) => {
      await fixture.put('job1', ['alpha beta']);
      const { hits, mode } = await fixture.search({ text, fuzziness: 'none' });
      expect(hits.length).toBe(/alpha/i.test(text) ? 1 : 0);
      expect(mode).toBe('lexical');
    });

    it('may have 10,000 characters', async () => {
      await fixture.put('job1', ['alpha beta gamma']);
      expect(await fixture.found('alpha '.repeat(1700))).toEqual(['job1/p1']);
      expect(await fixture.found('x'.repeat(10_000))).toEqual([]);
      expect(await fixture.found('予'.repeat(10_000))).toEqual([]);
      expect(await fixture.found(`"${'alpha '.repeat(1700)}`)).toEqual(['job1/p1']);
      expect(await fixture.found(`beta ${Array.from({ length: 2000 }, (_, index) => `w${index}`).join(' ')}`)).toEqual(['job1/p1']);
      expect(await fixture.found({ text: Array.from({ length: 2000 }, (_, index) => `w${index}`).join(' '), phrase: true })).toEqual([]);
    });

    it('may be of stop words only', async () => {
      await fixture.put('job1', ['to be or not to be', 'the cat']);
      expect(await fixture.found('to be or not to be')).toEqual(['job1/p1']);
      expect(await fixture.found('the')).toEqual(['job1/p2']);
    });
  });

  describe('a snippet', () => {
    const filler = 'and so on it went for a while without anything of note, '.repeat(20);

    it('is the part with most of the query, and its marks fit its text', async () => {
      const text = `First the budget. ${filler}Then Ann said that the marketing budget 👍 is too small. ${filler}`;
      await fixture.put('job1', [{ text, times: [[0, 0], [18, 4], [text.indexOf('Then'), 200], [text.length - 20, 300]] }]);
      const [hit] = (await fixture.search('marketing budget small')).hits;
      expect(hit && marked(hit)).toEqual(['marketing', 'budget', 'small']);
      expect(hit?.snippet.text).toMatch(/^….*Then Ann said that the marketing budget 👍 is too small.*…$/s);
      expect(hit?.snippet.text.length).toBeLessThan(250);
      expect(hit?.text).toBe(text);
      expect(hit?.jumpTo).toBe(200);
    });

    it('has no marks where nothing is looked for by words', async () => {
      const embedding = new Float32Array(8).fill(1);
      await fixture.put('job1', [{ text: `${filler}end`, embedding, start: 7, times: [[0, 7], [9, 8]] }]);
      const [hit] = (await fixture.search({ embedding })).hits;
      expect(hit?.snippet.marks).toEqual([]);
      expect(filler.startsWith(hit?.snippet.text.slice(0, -1) ?? 'x')).toBe(true);
      expect(hit?.jumpTo).toBe(7);
    });
  });
}
