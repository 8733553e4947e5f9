import type { common } from '@parlance/contracts';
import { SUMMARY_FORMATS, type SummaryFormat, type SummaryRequest } from '../engine/summary-engine.js';

/** The request for a job's default summary, from the options of the job. */
export function summaryRequestOf(options: Omit<common.SummaryOptions, 'enabled'> | undefined): SummaryRequest {
  const { format, template, language } = options ?? {};
  return {
    format: formatOf(format, template),
    ...(template !== undefined && { template }),
    ...(language !== undefined && { language }),
  };
}

/** The default is `custom` with a template, and `brief` without one. */
export function formatOf(format: string | undefined, template: string | undefined): SummaryFormat {
  const known = SUMMARY_FORMATS.find((each) => each === format);
  return known ?? (template === undefined ? 'brief' : 'custom');
}
