import { indexTerms } from '../analysis/terms.js';
import { languageKey, metadataKeys, speakerKey } from '../checked-input.js';
import type { FoundPassage } from '../search-hits.js';
import type { IndexedJob, Passage, Speaker } from '../search-index.js';

/** A passage as it lies in the index. */
export interface PassageDocument {
  accountId: string;
  jobId: string;
  passageId: string;
  version: number;
  writtenAt: string;
  createdAt: string;
  duration: number;
  metadata: string[];
  language: string;
  languageKey: string;
  speakerId?: string;
  speakerName?: string;
  speakerKeys?: string[];
  start: number;
  end: number;
  times: string;
  text: string;
  terms: string;
  embedding?: number[];
}

/** Its account is part of its id: no other account's passage can take its place. */
export const documentId = (accountId: string, jobId: string, passageId: string): string => `${accountId}/${jobId}/${passageId}`;

export const passageDocument = (job: IndexedJob, passage: Passage, writtenAt: string): PassageDocument => ({
  accountId: job.accountId,
  jobId: job.jobId,
  passageId: passage.id,
  version: job.version,
  writtenAt,
  createdAt: job.createdAt,
  duration: job.duration,
  metadata: metadataKeys(job.metadata),
  language: passage.language,
  languageKey: languageKey(passage.language),
  ...speakerFields(passage.speaker),
  start: passage.start,
  end: passage.end,
  times: JSON.stringify(passage.times ?? []),
  text: passage.text,
  terms: indexTerms(passage.text)
    .map(({ term }) => term)
    .join(' '),
  ...(passage.embedding && { embedding: Array.from(passage.embedding) }),
});

/** The document with another speaker. */
export function withSpeaker(document: PassageDocument, speaker: Speaker): PassageDocument {
  const changed = { ...document };
  delete changed.speakerName;
  return { ...changed, ...speakerFields(speaker) };
}

const speakerFields = (speaker: Speaker | undefined): Pick<PassageDocument, 'speakerId' | 'speakerName' | 'speakerKeys'> =>
  speaker === undefined
    ? {}
    : {
        speakerId: speaker.id,
        ...(speaker.name !== undefined && { speakerName: speaker.name }),
        speakerKeys: [speaker.id, ...(speaker.name === undefined ? [] : [speaker.name])].map(speakerKey),
      };

export const foundPassage = (document: PassageDocument): FoundPassage => ({
  jobId: document.jobId,
  passageId: document.passageId,
  language: document.language,
  ...(document.speakerId !== undefined && { speaker: { id: document.speakerId, ...(document.speakerName !== undefined && { name: document.speakerName }) } }),
  start: document.start,
  end: document.end,
  text: document.text,
  times: JSON.parse(document.times) as FoundPassage['times'],
  createdAt: document.createdAt,
});
