import type { SummaryEngineInfo } from '../engine/summary-engine.js';

export const EXTRACTIVE = 'extractive';
export const EXTRACTIVE_INFO: SummaryEngineInfo = { name: EXTRACTIVE, languages: ['en'] };
