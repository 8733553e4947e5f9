/** As file systems have it, in UTF-16 units. */
const MAX_LENGTH = 255;

/** Controls and halves of characters, and marks that would turn the text around the name. */
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\p{Bidi_Control}]/gu;

/** The name of a file of a form, without its folders, as text that is safe anywhere. */
export function fileNameOf(stated: string | undefined): string | undefined {
  const base = stated?.slice(Math.max(stated.lastIndexOf('/'), stated.lastIndexOf('\\')) + 1) ?? '';
  const name = base.replace(/\s+/gu, ' ').replace(UNPRINTABLE, '').normalize('NFC').trim();
  // The end says what it is: it is the middle that goes.
  return shortened(name) || undefined;
}

function shortened(name: string): string {
  if (name.length <= MAX_LENGTH) return name;
  const extension = /\.\w{1,8}$/.exec(name)?.[0] ?? '';
  return `${name.slice(0, MAX_LENGTH - extension.length - 1)}…${extension}`.replace(/\p{Surrogate}/gu, '');
}
