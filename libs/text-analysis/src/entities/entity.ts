export const ENTITY_TYPES = ['date', 'time', 'money', 'percentage', 'email', 'url', 'phone_number', 'address', 'person', 'organization'] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];

/** Something that a text names, between two positions of it. */
export interface TextEntity {
  type: EntityType;
  /** UTF-16 units. */
  from: number;
  to: number;
  /** Absent where the text can be read in more than one way. The form is that of the type. */
  normalized?: string | undefined;
}

/** A text and the conditions under which it is read. */
export interface EntityContext {
  /** BCP 47. */
  language: string;
  /** The date that words such as "tomorrow" refer to. */
  recordedAt: Date;
}

/** Finds the entities of some types in a text. */
export type EntityRecognizer = (text: string, context: EntityContext) => TextEntity[];

/** Turns each match into an entity; `read` returns undefined to reject it. */
export function entitiesOf(expression: RegExp, text: string, read: (match: RegExpExecArray) => Omit<TextEntity, 'from' | 'to'> | undefined): TextEntity[] {
  return [...text.matchAll(expression)].flatMap((match) => {
    const entity = read(match);
    return entity ? [{ ...entity, from: match.index, to: match.index + match[0].length }] : [];
  });
}

/** The entities that overlap none before them in the list, in order of their places. */
export function withoutOverlaps<Entity extends Pick<TextEntity, 'from' | 'to'>>(entities: readonly Entity[]): Entity[] {
  const kept: Entity[] = [];
  for (const entity of entities) if (!kept.some(({ from, to }) => entity.from < to && from < entity.to)) kept.push(entity);
  return kept.toSorted((one, other) => one.from - other.from);
}

/** An alternative of words in an expression, the longest first. */
export const anyOf = (words: readonly string[]): string => words.toSorted((one, other) => other.length - one.length).join('|');

/** @returns how many characters at the end match, such as the punctuation behind an address */
export function closingLength(text: string, isClosing: RegExp): number {
  let length = 0;
  while (length < text.length && isClosing.test(text.charAt(text.length - 1 - length))) length += 1;
  return length;
}
