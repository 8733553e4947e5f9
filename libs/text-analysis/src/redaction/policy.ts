/** Kinds of personal data that a job can have removed from its text. */
export const REDACTION_POLICIES = ['card_number', 'iban', 'national_id', 'email', 'url', 'phone_number', 'date_of_birth', 'person', 'organization', 'location', 'number_sequence'] as const;
export type RedactionPolicy = (typeof REDACTION_POLICIES)[number];

/** Words of a text that a policy removes. */
export interface RedactedPlace {
  policy: RedactionPolicy;
  /** The finder of these words; absent: rules. */
  method?: 'model';
  /** UTF-16 units. */
  from: number;
  to: number;
  /** The words in a form that is equal for equal things: digits without spaces, names in small letters. */
  value: string;
}

/** Finds names in a text as a language model does, beside the rules. */
export type NamesFinder = (text: string) => Promise<RedactedPlace[]>;

/** Finds what one policy removes. */
export type PlaceFinder = (text: string) => RedactedPlace[];
