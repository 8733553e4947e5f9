import { entitiesOf, type EntityRecognizer } from './entity.js';

const NAME = String.raw`\p{Lu}[\p{L}'’-]{1,30}`;
const PERSON = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:Mr|Mrs|Ms|Miss|Mister|Dr|Doctor|Prof|Professor|Sir|Madam|Judge|Senator|Captain|Herrn?|Frau|Monsieur|Madame|Señora?|Signora?)\.? (?:von |van |de |di |du )?${NAME}(?: (?:von |van |de |di |du )?${NAME}){0,2}`,
  'gu',
);
const LEGAL_FORM = /(?<= )(?:Inc|Incorporated|Corp|Corporation|LLC|LLP|Ltd|Limited|PLC|plc|GmbH|AG|KG|SE|BV|NV|AB|SA|SAS|SpA|Srl|Pty)(?![\p{L}\p{N}])\.?/gu;
/** Words of a name before the legal form. */
const MAX_NAME = 4;

/** People with a title and organisations with a legal form, where capitals show their names. Rules know no others. */
export const findTitledNames: EntityRecognizer = (text) => [
  ...entitiesOf(PERSON, text, () => ({ type: 'person' })),
  ...entitiesOf(LEGAL_FORM, text, () => ({ type: 'organization' })).flatMap((form) => {
    const name = nameBefore(text.slice(0, form.from - 1));
    return name === '' ? [] : [{ ...form, from: form.from - 1 - name.length }];
  }),
];

/** The words with capitals at the end of a text; a full stop before them ends another sentence. */
function nameBefore(text: string): string {
  const words = text.slice(-200).split(' ').toReversed();
  const isName = (word: string, index: number) => index < MAX_NAME && (word === '&' || /^\p{Lu}/u.test(word)) && (index === 0 || !/[.,;:!?]$/u.test(word));
  const end = words.findIndex((word, index) => !isName(word, index));
  return words.slice(0, end < 0 ? words.length : end).toReversed().join(' ').replace(/^& /u, '');
}
