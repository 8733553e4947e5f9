import type { summary } from '@parlance/contracts';
import { entitiesNow } from '../speakers/merge-speakers.js';
import type { EntitiesDocument } from '../work/work-document.js';
import type { SpeakerNames } from './speaker-names.js';
import { workMessage } from './work-message.js';

export function entitiesMessage(document: EntitiesDocument, names: SpeakerNames): summary.Entities {
  const { entities = [], method = '' } = document.result ? entitiesNow(document.result, names.merges) : {};
  return { ...workMessage(document, names), method, entities };
}
