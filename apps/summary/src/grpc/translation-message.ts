import type { summary } from '@parlance/contracts';
import { readableEdition, type TranslationDocument } from '../translations/translation-document.js';
import { workStatus } from './work-message.js';

/** @param version the present one of the transcript */
export function translationMessage(document: TranslationDocument, version: number): summary.Translation {
  const { jobId, language, status, error, createdAt, completedAt, engine = '', usage, segmentsTotal, segmentsDone, transcriptVersion } = document;
  const edition = readableEdition(document);
  return {
    jobId,
    language,
    status: workStatus(status),
    error,
    createdAt: new Date(createdAt),
    completedAt: completedAt === undefined ? undefined : new Date(completedAt),
    engine,
    usage,
    segmentsTotal,
    segmentsDone,
    transcriptVersion,
    outdated: edition !== undefined && (transcriptVersion ?? 0) < version,
    edition,
  };
}
