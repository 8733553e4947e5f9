import { QuoteFinder, type Evidence, type DueDateReader, type SpokenLine } from '@parlance/text-analysis';
import type { ActionItem, Finding, TranscriptText } from '../engine/summary-engine.js';
import { mention } from '../engine/speaker-mentions.js';
import type { EvidenceAnswer, FindingAnswer, ItemsAnswer } from './answers.js';

const MAX_EVIDENCE = 5;

/** Looks up quotes, owners and dates of a model's answer in the transcript, and counts the items that are not there. */
export class EvidenceCheck {
  dropped = 0;
  private readonly finder: QuoteFinder;
  private readonly lines: readonly SpokenLine[];
  private readonly speakers: ReadonlyMap<string, string>;
  /** All words that were said, in lower case. */
  private readonly words: ReadonlySet<string>;

  constructor(
    { lines, speakers, recordedAt }: TranscriptText,
    private readonly dueIn: DueDateReader,
  ) {
    this.lines = lines;
    this.finder = new QuoteFinder(lines);
    const labels = lines.flatMap(({ speakerId }) => (speakerId === undefined ? [] : [[speakerId.toLowerCase(), speakerId] as const]));
    this.speakers = new Map([...labels, ...speakers.map(({ speakerId, name }) => [name.toLowerCase(), speakerId] as const)]);
    this.words = new Set(lines.flatMap(({ text }) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []));
    this.recordedAt = recordedAt;
  }

  private readonly recordedAt: Date;

  /** @returns the quotes that are in the transcript, each once */
  evidence(claimed: EvidenceAnswer): Evidence[] {
    const found = new Map<string, Evidence>();
    for (const { segment, quote } of claimed) {
      const evidence = this.finder.find(quote, this.lines[segment]?.segmentId);
      if (evidence && found.size < MAX_EVIDENCE) found.set(`${evidence.segmentId} ${evidence.quote}`, evidence);
    }
    return [...found.values()];
  }

  /** @returns the items with evidence, converted by `make`; the others are counted as dropped */
  checked<Item extends { evidence: EvidenceAnswer }, Made>(items: readonly Item[], make: (item: Item, evidence: Evidence[]) => Made): Made[] {
    return items.flatMap((item) => {
      const evidence = this.evidence(item.evidence);
      if (evidence.length > 0) return [make(item, evidence)];
      this.dropped++;
      return [];
    });
  }

  findings(items: readonly FindingAnswer[]): Finding[] {
    return this.checked(items, ({ text }, evidence) => ({ text, evidence }));
  }

  actionItems(items: ItemsAnswer['action_items']): ActionItem[] {
    return this.checked(items, ({ text, owner, due }, evidence) => {
      const known = owner === null ? undefined : this.owner(owner);
      return { text, evidence, ...(known !== undefined && { owner: known }), ...(due !== null && this.due(due, evidence)) };
    });
  }

  speakerId(label: string): string | undefined {
    return this.speakers.get(label.replaceAll(/[[\]]/gu, '').trim().toLowerCase());
  }

  /** A speaker, or somebody who is named in the recording. */
  private owner(claimed: string): string | undefined {
    const speakerId = this.speakerId(claimed);
    if (speakerId !== undefined) return mention(speakerId);
    const words = claimed.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    return words.length > 0 && words.every((word) => this.words.has(word)) ? claimed.trim() : undefined;
  }

  /** Only what was said in the segments of the evidence, or beside them; its date where the language's dates are known. */
  private due(claimed: string, evidence: readonly Evidence[]): Pick<ActionItem, 'due' | 'dueText'> {
    const wanted = claimed.trim().replaceAll(/\s+/gu, ' ');
    const said = evidence.map(({ segmentId }) => this.around(segmentId)).find((text) => text.toLowerCase().includes(wanted.toLowerCase()));
    if (wanted === '' || said === undefined) return {};
    const at = said.toLowerCase().indexOf(wanted.toLowerCase());
    const due = this.dueIn(wanted, this.recordedAt);
    return { dueText: said.slice(at, at + wanted.length), ...(due && { due: due.date }) };
  }

  private around(segmentId: string): string {
    const number = this.lines.findIndex((line) => line.segmentId === segmentId);
    return this.lines.slice(Math.max(0, number - 1), number + 2).map(({ text }) => text).join(' ').replaceAll(/\s+/gu, ' ');
  }
}
