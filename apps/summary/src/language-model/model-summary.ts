import type { SummaryRequest, SummaryResult, TranscriptText } from '../engine/summary-engine.js';
import { digestAnswer, notesAnswer, reportAnswer, summaryAnswer, type ItemsAnswer } from './answers.js';
import type { EvidenceCheck } from './evidence-check.js';
import { speakerList, type ModelCalls } from './model-calls.js';
import type { Prompts } from './prompts.js';
import { reportSections } from './report-sections.js';
import { transcriptParts, type TranscriptPart } from './transcript-parts.js';

type Written = Pick<SummaryResult, 'text' | 'actionItems' | 'keyDecisions' | 'insights'>;

interface SummaryTask {
  transcript: TranscriptText;
  request: SummaryRequest;
  calls: ModelCalls;
  check: EvidenceCheck;
  prompts: Prompts;
  countTokens(text: string): number;
}

const MAX_ITEMS = 40;

/** In one request where the transcript fits into it; else notes on each part (map), and a report from the notes (reduce). */
export async function modelSummary(task: SummaryTask): Promise<Written> {
  const { transcript, request, calls, prompts, countTokens } = task;
  const date = transcript.recordedAt.toISOString().slice(0, 10);
  const sections = reportSections(request, prompts);
  const asked = prompts.fill('summary', { sections: sections.asked, date });
  const speakers = speakerList(transcript);
  const parts = transcriptParts(transcript.lines, calls.room(asked, request.instructions) - countTokens(speakers), countTokens);
  const [only] = parts;
  if (only && parts.length === 1) {
    const answer = await calls.ask({ name: 'summary', schema: summaryAnswer(sections.count), task: asked, wishes: request.instructions, material: speakers + only.text });
    return { text: sections.text(answer.sections), ...checkedItems(task, [answer]) };
  }
  const { notes, items } = await notesOn(parts, task, speakers, date);
  const report = prompts.fill('report', { sections: sections.asked, date });
  const material = await digested(notes, task, calls.room(report, request.instructions));
  const answer = await calls.ask({ name: 'report', schema: reportAnswer(sections.count), task: report, wishes: request.instructions, material });
  return { text: sections.text(answer.sections), ...checkedItems(task, items) };
}

/** Quotes are looked up in the whole transcript. An item of two parts is given once. */
function checkedItems({ check }: SummaryTask, answers: readonly ItemsAnswer[]): Omit<Written, 'text'> {
  return {
    actionItems: once(check.actionItems(answers.flatMap((answer) => answer.action_items))),
    keyDecisions: once(check.findings(answers.flatMap((answer) => answer.key_decisions))),
    insights: once(check.findings(answers.flatMap((answer) => answer.insights))),
  };
}

function once<Item extends { text: string; evidence: readonly { segmentId: string; quote: string }[] }>(items: readonly Item[]): Item[] {
  const seen = new Map(items.map((item) => [`${item.evidence[0]?.segmentId} ${item.evidence[0]?.quote}`, item]));
  return [...seen.values()].slice(0, MAX_ITEMS);
}

async function notesOn(parts: readonly TranscriptPart[], { calls, prompts, request }: SummaryTask, speakers: string, date: string) {
  const notes: string[] = [];
  const items: ItemsAnswer[] = [];
  for (const [index, part] of parts.entries()) {
    const asked = prompts.fill('notes', { part: index + 1, parts: parts.length, date });
    const answer = await calls.ask({ name: 'notes', schema: notesAnswer, task: asked, wishes: request.instructions, material: speakers + part.text });
    notes.push(answer.notes);
    items.push(answer);
  }
  return { notes, items };
}

/** The notes as one text of at most so many tokens: of ten hours, notes are made on the notes. */
async function digested(notes: readonly string[], task: SummaryTask, room: number): Promise<string> {
  const { calls, prompts, countTokens } = task;
  const numbered = notes.map((text, index) => `Part ${index + 1}:\n${text}`);
  const whole = numbered.join('\n\n');
  if (countTokens(whole) <= room) return whole;
  const groups = grouped(numbered, room, countTokens);
  // A model that writes more than its limit must not keep this going for ever.
  if (groups.length >= notes.length) return whole.slice(0, Math.floor((whole.length * room) / countTokens(whole)));
  const shorter: string[] = [];
  for (const group of groups) {
    const asked = prompts.fill('digest', { parts: group.length });
    shorter.push((await calls.ask({ name: 'digest', schema: digestAnswer, task: asked, material: group.join('\n\n') })).notes);
  }
  return digested(shorter, task, room);
}

function grouped(texts: readonly string[], room: number, countTokens: (text: string) => number): string[][] {
  const groups: string[][] = [];
  let tokens = Infinity;
  for (const text of texts) {
    const cost = countTokens(text) + 1;
    if (tokens + cost > room) {
      groups.push([]);
      tokens = 0;
    }
    groups.at(-1)?.push(text);
    tokens += cost;
  }
  return groups;
}
