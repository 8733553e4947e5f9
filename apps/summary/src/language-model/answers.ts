import { z } from 'zod';

// Schemas of the model's answers. Every field is required, since servers with strict schemas demand it.
const evidence = z.array(z.strictObject({ segment: z.number(), quote: z.string() }));
const finding = z.strictObject({ text: z.string(), evidence });
const items = {
  action_items: z.array(z.strictObject({ text: z.string(), owner: z.string().nullable(), due: z.string().nullable(), evidence })),
  key_decisions: z.array(finding),
  insights: z.array(finding),
};

const sections = (count: number) => z.array(z.string()).length(count);

export const summaryAnswer = (sectionCount: number) => z.strictObject({ sections: sections(sectionCount), ...items });
export const notesAnswer = z.strictObject({ notes: z.string(), ...items });
export const digestAnswer = z.strictObject({ notes: z.string() });
export const reportAnswer = (sectionCount: number) => z.strictObject({ sections: sections(sectionCount) });

export const highlightsAnswer = (windows: number) =>
  z.strictObject({
    key_moments: z.array(z.strictObject({ title: z.string(), evidence })),
    quotes: z.array(z.strictObject({ evidence })),
    insights: z.array(finding),
    topics: z.array(z.strictObject({ name: z.string(), keyphrases: z.array(z.string()), first_segment: z.number(), last_segment: z.number(), evidence })),
    moods: z.array(z.strictObject({ score: z.number(), evidence })).length(windows),
    speakers: z.array(z.strictObject({ speaker: z.string(), score: z.number() })),
  });

export const chaptersAnswer = z.strictObject({
  continues: z.boolean(),
  chapters: z.array(z.strictObject({ first_segment: z.number(), headline: z.string(), gist: z.string(), evidence })).min(1).max(20),
});

export const entitiesAnswer = z.strictObject({ entities: z.array(z.strictObject({ segment: z.number(), type: z.enum(['person', 'organization']), text: z.string() })) });

export type EvidenceAnswer = z.output<typeof evidence>;
export type FindingAnswer = z.output<typeof finding>;
export type ItemsAnswer = Omit<z.output<typeof notesAnswer>, 'notes'>;
export type ChapterAnswer = z.output<typeof chaptersAnswer>['chapters'][number];
export type HighlightsAnswer = z.output<ReturnType<typeof highlightsAnswer>>;
