import { AppError } from '@parlance/platform/errors';
import { clockTime } from '@parlance/transcript/timecodes';
import { Liquid, LiquidError, type Template } from 'liquidjs';
import type { DocumentHead, DocumentTurn } from '../content/document-content.js';
import { markdownText } from './markdown-text.js';

/** Characters of a template. */
export const MAX_TEMPLATE_LENGTH = 4000;

/** Milliseconds that a template may take on a whole transcript: that of ten hours takes a common one about 0.2 s. */
const RENDER_LIMIT_MS = 1000;

/** Characters and items that filters and ranges may make. */
const MEMORY_LIMIT = 2e7;

/** Tags that read other templates, of which there are none. */
const READING_TAGS = ['include', 'render', 'layout', 'block'];

/** Liquid without files, prototypes and unknown filters. A template computes nothing but text from the values that it is given. */
function newEngine(): Liquid {
  const engine = new Liquid({ templates: {}, ownPropertyOnly: true, strictFilters: true, parseLimit: MAX_TEMPLATE_LENGTH, renderLimit: RENDER_LIMIT_MS, memoryLimit: MEMORY_LIMIT });
  for (const tag of READING_TAGS) delete engine.tags[tag];
  engine.registerFilter('markdown', (value: unknown) => markdownText(String(value ?? '')));
  engine.registerFilter('clock', (value: unknown) => (typeof value === 'number' ? clockTime(value) : ''));
  return engine;
}

/** A fault of the template with its place, in a sentence; undefined when it can be used. */
export function documentTemplateProblem(template: string): string | undefined {
  try {
    newEngine().parse(template);
    return undefined;
  } catch (error) {
    return problemOf(error);
  }
}

/** The document that a template makes. @throws AppError invalid_request with the place of the fault */
export async function renderTemplate(template: string, head: DocumentHead, turns: AsyncIterable<DocumentTurn>): Promise<string> {
  const values = await valuesOf(head, turns);
  try {
    const engine = newEngine();
    const parsed: Template[] = engine.parse(template);
    // Rendering without promises takes a tenth of the time, and the thread does nothing else.
    return String(engine.renderSync(parsed, values));
  } catch (error) {
    throw templateRefused(problemOf(error));
  }
}

export const templateRefused = (detail: string): AppError =>
  new AppError({ code: 'invalid_request', message: `?template: ${detail}`, fields: [{ pointer: '?template', code: 'invalid_value', detail }] });

function problemOf(error: unknown): string {
  if (!LiquidError.is(error)) throw error;
  const [line, column] = error.token.getPosition();
  const [message = ''] = error.message.split(', line:', 1);
  return `Line ${line}, column ${column}: ${limitOf(message) ?? message}.`;
}

/** The limit that a template has reached, in words; undefined when it is another fault. */
function limitOf(message: string): string | undefined {
  if (message.includes('template render limit exceeded')) return `the template takes longer than ${RENDER_LIMIT_MS / 1000} s on this transcript`;
  return message.includes('memory alloc limit exceeded') ? 'the template makes too many texts or items' : undefined;
}

interface Paragraph {
  speaker?: string | undefined;
  begins_turn: boolean;
  start?: number | undefined;
  text: string;
}

async function valuesOf({ title, createdAt, language, duration, speakers, sections }: DocumentHead, turns: AsyncIterable<DocumentTurn>) {
  const paragraphs: Paragraph[] = [];
  let current: string | undefined;
  for await (const { text, start, speaker } of turns) {
    current = speaker ?? current;
    paragraphs.push({ speaker: current, begins_turn: speaker !== undefined, start, text });
  }
  return { title, created_at: createdAt, language, duration, speakers, sections, paragraphs };
}
