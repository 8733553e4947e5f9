import type { common } from '@parlance/contracts';
import { SUMMARY_FORMATS, type SummaryFormat, type SummaryRequest } from '../engine/summary-engine.js';

/** What a job's options ask of its default summary. */
export function summaryRequestOf(options: Omit<common.SummaryOptions, 'enabled'> | undefined): SummaryRequest {
  const { format, template, language } = options ?? {};
  return {
    format: formatOf(format, template),
    ...(template !== undefined && { template }),
    ...(language !== undefined && { language }),
  };
}

/** A template alone asks for `custom`; nothing for `brief`. */
export function formatOf(format: string | undefined, template: string | undefined): SummaryFormat {
  const known = SUMMARY_FORMATS.find((each) => each === format);
  return known ?? (template === undefined ? 'brief' : 'custom');
}
