import { describe, expect, it } from '@jest/globals';
import { actionCue, insightWeight, isDecision, isQuestion } from './english-cues.js';
import { FirstNames } from './first-names.js';

const never = new AbortController().signal;

describe('what an utterance does', () => {
  it('is found for those who have to do something', async () => {
    const firstNames = new FirstNames();
    const names = await firstNames.among(new Set(['carol', 'city', 'ann']), never);
    expect(await firstNames.among(new Set(['city', 'ann']), never)).toEqual(new Set(['ann']));
    const by = (text: string) => actionCue(text, (word) => names.has(word))?.by;
    expect(by("I'll send you the plan")).toBe('speaker');
    expect(by('I am going to also check the numbers')).toBe('speaker');
    expect(by('could you please call the carpenter')).toBe('listener');
    expect(by('make sure to book the room')).toBe('listener');
    expect(by('carol will write the report')).toEqual({ name: 'carol' });
    expect(by('Ann, please review it')).toEqual({ name: 'ann' });
    expect(by('we need to fix the roof')).toBe('everybody');
    for (const nothing of ['the city will ask us', "I'll tell you a story", 'I will be honest', 'you can see the roof', 'we had to laugh']) expect(by(nothing)).toBeUndefined();
  });

  it('is a decision when it was taken, not when it is asked for', () => {
    for (const text of ['We decided to wait', 'then we have agreed on the price', "let's go with the second one", 'We will postpone the start', 'the motion is carried']) expect(isDecision(text)).toBe(true);
    for (const text of ['should we decide now', 'it is a hard decision for them', 'we talked about it']) expect(isDecision(text)).toBe(false);
  });

  it('is worth more the more it tells', () => {
    expect(insightWeight('it turns out that the main problem is the roof')).toBeGreaterThan(insightWeight('the roof costs more than a million'));
    expect(insightWeight('good morning everybody')).toBe(0);
    expect([isQuestion('how much is it'), isQuestion('It is much, is it not?'), isQuestion('it is much')]).toEqual([true, true, false]);
  });

  it('is not waited for when nobody wants to know', async () => {
    await expect(new FirstNames().among(new Set(['carol']), AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  });
});
