const MENTION = /\[\[([^[\]]{1,64})\]\]/gu;

/** A reference to a speaker in a text, independent of the speaker's name. */
export const mention = (speakerId: string): string => `[[${speakerId}]]`;

/** The text with the speakers' names as they are now. */
export const withNames = (text: string, nameOf: (speakerId: string) => string | undefined): string =>
  text.replaceAll(MENTION, (written, id: string) => nameOf(id) ?? written.slice(2, -2));

/** The text after a merge: one speaker is mentioned in the other's place. */
export const withMerged = (text: string, from: string, into: string): string => text.replaceAll(mention(from), mention(into));
