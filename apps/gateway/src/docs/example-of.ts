import type { z } from 'zod';

/** By the names of fields, where their schema has no example of its own. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  text: 'Let us begin with the budget.',
  quote: 'Let us begin with the budget.',
  message: 'What was decided about the budget?',
  answer: 'The budget was approved.',
  name: 'Ada Lovelace',
  code: 'engine_failed',
  detail: 'The engine did not respond.',
  language: 'en',
  engine: 'built-in',
  url: 'https://example.org/hook',
  audio_url: 'https://example.org/meeting.mp3',
  email: 'ada@example.org',
  job_id: 'job_01k9z3v4n8',
  segment_id: 'seg_000001',
  speaker_id: 'S1',
  segment_ids: ['seg_000001'],
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  start: 12.5,
  end: 15.25,
  duration: 1800.5,
  confidence: 0.93,
  percent: 100,
  stage: 'search',
  next_cursor: null,
  warnings: [],
  self: '/api/v1/transcriptions/job_01k9z3v4n8',
  file_name: 'meeting.mp3',
  format: 'mp3',
  codec: 'mp3',
  size_bytes: 28_808_000,
  sample_rate: 44_100,
  channels: 2,
  has_video: false,
  requested: 'en',
  detected: 'en',
  title: 'The budget',
  speaker: 'Ada Lovelace',
  owner: 'Ada Lovelace',
  keyphrases: ['budget'],
  score: 0.8,
  label: 'positive',
  what: 'transcript',
  where: 'transcription',
  organization: 'Example Ltd.',
  plan: 'free',
  event_id: 'evt_01k9z3v4n8',
  status_code: 200,
  latency_ms: 120,
  response_body: 'ok',
};

/** Fields of failures, and of jobs that are not made from a URL: the examples show successes of the usual kind. */
const NOT_SHOWN = new Set(['error', 'dropped_items', 'live', 'files', 'upload_id']);

interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  innerType?: z.ZodType;
  in?: z.ZodType;
  element?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
  values?: unknown[];
  items?: z.ZodType[];
}

/** A value that the schema takes: its own example, or one made of those of its parts. Of a body, and of what is within an answer, only what is needed and what has an example. */
export function exampleOf(schema: z.ZodType, of: 'body' | 'answer', name = ''): unknown {
  const { example } = schema.meta() ?? {};
  if (example !== undefined) return example;
  if (BY_NAME[name] !== undefined && schema.safeParse(BY_NAME[name]).success) return BY_NAME[name];
  const definition = schema.def as unknown as Definition;
  const inner = definition.innerType ?? definition.in;
  if (inner) return exampleOf(inner, of, name);
  if (definition.shape) {
    const needed = objectExample(definition.shape, of);
    // Each field may be absent, but not all of them.
    return schema.safeParse(needed).success ? needed : objectExample(definition.shape, 'answer');
  }
  return leafExample(schema, definition, of, name);
}

function objectExample(shape: Record<string, z.ZodType>, of: 'body' | 'answer'): object {
  const isNeeded = (field: z.ZodType) => !field.safeParse(undefined).success || field.meta()?.example !== undefined;
  const shown = Object.entries(shape).filter(([name, field]) => isNeeded(field) || (of === 'answer' && !NOT_SHOWN.has(name)));
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, 'body', name)]));
}

function leafExample(schema: z.ZodType, { type, element, items = [], options = [], entries = {}, values = [] }: Definition, of: 'body' | 'answer', name: string): unknown {
  switch (type) {
    case 'array':
      return element ? [exampleOf(element, of, name)] : [];
    case 'tuple':
      return items.map((item) => exampleOf(item, of, name));
    case 'union':
      return options[0] && exampleOf(options[0], of, name);
    case 'enum':
      return entries['completed'] ?? Object.values(entries)[0];
    case 'literal':
      return values[0];
    case 'record':
      return {};
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'number':
      return [1, 0, 60, 3600].find((each) => schema.safeParse(each).success);
    case 'string':
      return ['text', '2026-03-01T09:30:00.000Z', 'https://example.org/'].find((each) => schema.safeParse(each).success);
    default:
      return {};
  }
}
