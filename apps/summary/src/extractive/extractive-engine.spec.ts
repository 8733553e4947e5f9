import { beforeAll, describe, expect, it } from '@jest/globals';
import { QuoteFinder, templateSections } from '@parlance/text-analysis';
import type { HighlightsResult, SummaryFormat, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import { ExtractiveEngine } from './extractive-engine.js';

const never = new AbortController().signal;
const engine = new ExtractiveEngine();

/** A line a segment of four seconds; `Ann: Hello` is said by S_Ann. */
function talk(texts: readonly string[], language = 'en'): TranscriptText {
  const lines = texts.map((said, index) => {
    const [, name, text = said] = /^([A-Z][a-z]+): (.*)$/u.exec(said) ?? [];
    return { segmentId: `seg_${String(index + 1).padStart(6, '0')}`, start: index * 5, end: index * 5 + 4, text, ...(name !== undefined && { speakerId: `S_${name}` }) };
  });
  const ids = [...new Set(lines.flatMap(({ speakerId }) => speakerId ?? []))];
  return { language, duration: texts.length * 5, speakers: ids.map((speakerId) => ({ speakerId, name: speakerId.slice(2), talkTime: 4 })), lines, recordedAt: new Date('2026-11-18T10:00:00Z') };
}

/** A Wednesday: 18 November 2026. */
const MEETING = talk([
  'Ann: good morning everybody',
  'Bob: the budget of the new library is two million and the roof of the library alone costs half of it',
  'Ann: that is terrible news i am not happy with the price of the roof at all',
  'Bob: we found out that the old roof was built without any insulation',
  'Ann: then we decided to build the roof of the library in spring',
  'Bob: i will send the plan of the roof to the city by next friday',
  'Ann: great can you call the carpenter tomorrow',
  'Bob: yes of course',
  'Ann: the readers of the library want more books for children and longer opening hours',
  'Bob: children read more books than last year which is wonderful and lovely',
  'Ann: and carol will order the books for children before the end of december',
  'Bob: thank you very much',
]);

/** Of samples/meeting.mp3, where "will" is said more often than anything. */
const PLEASANTRIES = talk([
  'Ann: Good morning, and thank you for coming to the meeting today.',
  'Bob: Good morning. I would like to talk about the money that we have left this year.',
  'Ann: There is enough for the new house, but not for the street.',
  'Bob: That is good news. When do you think that we can open the doors to the public?',
  'Ann: I think that it will be ready by the end of next month. There are still some problems with the water and the power.',
  'Bob: The city has asked us for a report. Can you write it before Friday?',
  'Ann: Yes. You will have it in the morning.',
  'Bob: Thank you very much. We will meet again next week at the same time.',
]);

describe('the built-in engine', () => {
  let made: SummaryResult;
  let found: HighlightsResult;
  beforeAll(async () => {
    made = await engine.summarize(MEETING, { format: 'brief' }, never);
    found = await engine.highlight(MEETING, never);
  });
  const finder = new QuoteFinder(MEETING.lines);

  it('says what the talk is about in the speakers’ own sentences', () => {
    expect(made.text).toMatch(/library/);
    for (const said of made.text.split(/(?<=\.) /)) expect(MEETING.lines.map(({ text }) => `${text}.`.toLowerCase())).toContain(said.toLowerCase());
  });

  it('finds who has to do what by when, seen from the day of the recording', () => {
    expect(made.actionItems.map(({ owner, due, dueText, evidence }) => [owner, due, dueText, evidence[0]?.segmentId])).toEqual([
      ['[[S_Bob]]', '2026-11-27', 'by next friday', 'seg_000006'],
      ['[[S_Bob]]', '2026-11-19', 'tomorrow', 'seg_000007'],
      ['Carol', '2026-12-31', 'before the end of december', 'seg_000011'],
    ]);
  });

  it('finds what was decided and what was found out', () => {
    expect(made.keyDecisions.map(({ evidence }) => evidence[0]?.segmentId)).toEqual(['seg_000005']);
    expect(made.insights.map(({ evidence }) => evidence[0]?.segmentId)).toContain('seg_000004');
  });

  it('takes no whole breath of talk without a full stop for one thing to do', async () => {
    const spoken = talk([
      'Ann: so we talked about the roof for a while and i will send the plan to the city by next friday and then carol will order the books before december because the children asked for them',
      'Bob: thank you very much',
    ]);
    const { actionItems } = await engine.summarize(spoken, { format: 'brief' }, never);
    expect(actionItems.map(({ text, owner }) => [text, owner])).toEqual([
      ['And i will send the plan to the city by next friday.', '[[S_Ann]]'],
      ['And then carol will order the books before december.', 'Carol'],
    ]);
    const look = new QuoteFinder(spoken.lines);
    for (const { evidence } of actionItems) expect(evidence.map(({ quote, segmentId }) => look.find(quote, segmentId))).toEqual(evidence);
  });

  it('names no topic after a word that every talk is full of', async () => {
    const { topics } = await engine.highlight(PLEASANTRIES, never);
    expect(topics.map(({ name }) => name)).toEqual(['meeting']);
    expect(topics[0]?.keyphrases).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(?:will|new|next|again|morning|come|coming)$/)]));
    const { text } = await engine.summarize(PLEASANTRIES, { format: 'minutes' }, never);
    expect(text.match(/^\*\*.*/m)?.[0]).toMatch(/^\*\*Meeting, (?!.*\b(?:Will|New|Next)\b)/);
  });

  it('takes no courtesy for what a talk came to', async () => {
    for (const format of ['brief', 'bullets', 'minutes'] as const) {
      const { text } = await engine.summarize(PLEASANTRIES, { format }, never);
      expect(text).toMatch(/street|doors/);
      expect(text).not.toMatch(/thank you|meet again/i);
    }
  });

  it('gives nothing that cannot be looked up', () => {
    const findings = [...made.actionItems, ...made.keyDecisions, ...made.insights, ...found.keyMoments, ...found.quotes, ...found.insights, ...found.topics];
    expect(findings.length).toBeGreaterThan(10);
    for (const { evidence } of findings) {
      expect(evidence).not.toEqual([]);
      for (const each of evidence) expect(finder.find(each.quote, each.segmentId)).toEqual(each);
    }
  });

  it('hears moods, with negation, by speaker and over time', () => {
    const { overall, bySpeaker, timeline } = found.sentiment!;
    expect(overall.label).toBe('positive');
    const ann = bySpeaker.find(({ speakerId }) => speakerId === 'S_Ann');
    const bob = bySpeaker.find(({ speakerId }) => speakerId === 'S_Bob');
    expect(ann!.mood.score).toBeLessThan(bob!.mood.score);
    expect(bob!.mood.evidence[0]?.quote).toMatch(/wonderful/);
    expect(timeline.map(({ start, end }) => [start, end])).toEqual([[0, 30], [30, 60]]);
  });

  it.each<[SummaryFormat, RegExp]>([
    ['detailed', /\*\*.*\(0:00–0:59\)\*\*/],
    ['bullets', /^- \[\[S_Bob\]\]: The budget/m],
    ['minutes', /## Decisions\n\n- Then we decided to build/],
  ])('writes %s', async (format, pattern) => {
    expect((await engine.summarize(MEETING, { format }, never)).text).toMatch(pattern);
  });

  it('divides a talk where its topic changes, in words that were said in the chapter', async () => {
    const roof = Array.from({ length: 20 }, (_, index) => `the roof of the library needs new tiles and the carpenter counts ${index} beams of the roof`);
    const fish = Array.from({ length: 20 }, (_, index) => `the fishermen in the harbour caught ${index} boxes of herring and the boats need engines`);
    const long = talk([...roof, ...fish]);
    const { chapters, engine: name } = await engine.divide(long, never);
    expect(chapters).toHaveLength(2);
    const [first, second] = chapters;
    expect({ name, start: first?.start, end: second?.end }).toEqual({ name: 'extractive', start: 0, end: 199 });
    expect(first?.end).toBe(second?.start);
    expect(Math.abs((second?.start ?? 0) - 100)).toBeLessThanOrEqual(10);
    expect(first?.headline).toMatch(/roof/i);
    expect(second?.headline).toMatch(/herring|harbour|boats|fishermen/i);
    for (const { start, end, gist, evidence } of chapters) {
      expect(gist.length).toBeGreaterThan(0);
      expect(evidence.length).toBeGreaterThan(0);
      for (const said of evidence) expect([said.start >= start && said.start < end, new QuoteFinder(long.lines).find(said.quote)]).toEqual([true, expect.anything()]);
    }
  });

  it('makes one chapter of a short talk, and at most sixty of ten hours', async () => {
    expect((await engine.divide(talk(['Yes']), never)).chapters).toEqual([{ start: 0, end: 4, headline: 'Yes', gist: 'Yes.', evidence: [expect.objectContaining({ segmentId: 'seg_000001' })] }]);
    const tenHours = talk(Array.from({ length: 7200 }, (_, index) => `the harbour x${Math.floor(index / 40)} gets y${Math.floor(index / 40)} cranes and z${index % 3} piers`));
    const { chapters } = await engine.divide(tenHours, never);
    expect(chapters.length).toBeGreaterThan(10);
    expect(chapters.length).toBeLessThanOrEqual(60);
    expect(chapters.at(-1)?.end).toBe(35_999);
  });

  it('fills exactly the sections of a template', async () => {
    const template = 'Fill this in.\n\n# Tasks\n\n## About children\nWhat is said of books\n\n## The weather on Mars';
    const { text } = await engine.summarize(MEETING, { format: 'custom', template }, never);
    expect(templateSections(text).map(({ heading }) => heading)).toEqual(['# Tasks', '## About children', '## The weather on Mars']);
    const [tasks, children, mars] = templateSections(text).map(({ guidance }) => guidance);
    expect(tasks).toContain('Carol: And carol will order');
    expect(children).toMatch(/books for children/);
    expect(mars).toBe('Nothing was found in the transcript.');
  });

  it('says what it cannot do for another language, and gives what needs no knowledge of it', async () => {
    const german = talk(['Das Dach der neuen Bibliothek kostet eine Million.', 'Wir haben beschlossen, das Dach der Bibliothek im Frühling zu bauen.', 'Danke schön.'], 'de');
    const { text, actionItems, warnings } = await engine.summarize(german, { format: 'brief', language: 'en' }, never);
    expect(text).toMatch(/Bibliothek/);
    expect(actionItems).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(['engine_language_limited', 'summary_language_unsupported']);
    const highlights = await engine.highlight(german, never);
    expect(highlights.sentiment).toBeUndefined();
    expect(highlights.keyMoments.length).toBeGreaterThan(0);
  });

  it('reads scripts without spaces', async () => {
    const japanese = talk(['新しい図書館の屋根は百万円です', '図書館の屋根は春に建てます', 'ありがとうございます'], 'ja');
    expect((await engine.summarize(japanese, { format: 'brief' }, never)).text).toContain('図書館');
  });

  it('takes one word, and twenty speakers', async () => {
    expect((await engine.summarize(talk(['Yes']), { format: 'minutes' }, never)).text).toContain('Yes.');
    const many = talk(Array.from({ length: 60 }, (_, index) => `${String.fromCharCode(65 + (index % 20))}ob: the harbour gets ${index} new cranes and a longer pier`));
    expect((await engine.highlight(many, never)).sentiment?.bySpeaker).toHaveLength(20);
  });

  it('does not say twice what means the same', async () => {
    const said = [
      'the budget is too small for two hires in spring and autumn',
      'nobody can afford more salaries for engineers and designers with so little money',
      'the harbour gets cranes and a longer pier beside the old lighthouse',
    ];
    const { text } = await engine.summarize(talk(said), { format: 'brief' }, never);
    expect(['budget', 'afford', 'harbour'].map((word) => text.includes(word))).toEqual([true, false, true]);
  });

  it('stops when it is told to, and lets the event loop have its turn', async () => {
    const long = talk(Array.from({ length: 3000 }, (_, index) => `the harbour number ${index} gets ${index % 7} new cranes of type x${index % 91} and pier y${index % 53}`));
    const caller = new AbortController();
    const work = engine.highlight(long, caller.signal);
    setTimeout(() => caller.abort(new Error('stopped')), 30);
    await expect(work).rejects.toThrow('stopped');
  });
});
