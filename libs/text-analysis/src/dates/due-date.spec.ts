import { describe, expect, it } from '@jest/globals';
import { dueDateReader } from './due-date.js';

/** A Wednesday. */
const RECORDED = new Date('2026-11-18T23:30:00Z');

describe('due dates', () => {
  it.each([
    ['en', 'I will send it by next Friday.', '2026-11-27', 'by next Friday'],
    ['en', 'can you do it tomorrow', '2026-11-19', 'tomorrow'],
    ['en', 'before the 3rd of March we need it', '2027-03-03', 'before the 3rd of March'],
    ['en', 'it has to be done in March', '2027-03-31', 'in March'],
    ['en', 'call him on monday', '2026-11-23', 'on monday'],
    ['de', 'Ich schicke es bis morgen.', '2026-11-19', 'bis morgen'],
    ['fr', 'Je le ferai avant demain', '2026-11-19', 'demain'],
    ['es', 'lo mando mañana', '2026-11-19', 'mañana'],
    ['ja', '明日送ります', '2026-11-19', '明日'],
  ])('of %s: %s', async (language, text, date, said) => {
    const due = (await dueDateReader(language))(text, RECORDED);
    expect(due?.date).toBe(date);
    expect(due?.text).toContain(said);
    expect(text).toContain(due?.text);
  });

  it('are not found where none is said, where it is long ago, or in a language whose dates are not known', async () => {
    const english = await dueDateReader('en');
    for (const text of ['I will send it', 'at three o’clock', 'it was on the 3rd of March 2020', 'it is 42']) expect(english(text, RECORDED)).toBeUndefined();
    expect((await dueDateReader('sw'))('nitatuma kesho', RECORDED)).toBeUndefined();
  });
});
