import { readFile } from 'node:fs/promises';
import { templateSections } from '@parlance/text-analysis';
import type { SummaryFormat } from '../engine/summary-engine.js';

/** A changed prompt is a new file with a new version, so that results of different prompts can be distinguished. */
const PROMPT_VERSION = 'v1';

type PromptName = 'rules' | 'summary' | 'notes' | 'digest' | 'report' | 'highlights' | 'chapters' | 'entities' | 'translation' | 'formats';

const NAMES: readonly PromptName[] = ['rules', 'summary', 'notes', 'digest', 'report', 'highlights', 'chapters', 'entities', 'translation', 'formats'];

/** The prompts, read from the files beside this one. */
export class Prompts {
  private constructor(private readonly texts: ReadonlyMap<PromptName, string>) {}

  static async load(): Promise<Prompts> {
    const read = async (name: PromptName) => [name, await readFile(new URL(`./prompts/${name}.${PROMPT_VERSION}.md`, import.meta.url), 'utf8')] as const;
    return new Prompts(new Map(await Promise.all(NAMES.map(read))));
  }

  /** @returns the prompt with the values in place of `{{name}}` @throws RangeError when one is missing */
  fill(name: PromptName, values: Readonly<Record<string, string | number>> = {}): string {
    return filled(this.texts.get(name) ?? '', values).trim();
  }

  /** @returns the part of the prompt that describes the sections of a format */
  format(format: SummaryFormat, values: Readonly<Record<string, string | number>> = {}): string {
    const found = templateSections(this.texts.get('formats') ?? '').find(({ title }) => title === format);
    return filled(found?.guidance ?? '', values);
  }
}

function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/gu, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`The prompt needs a value for ${name}.`);
    return String(value);
  });
}
