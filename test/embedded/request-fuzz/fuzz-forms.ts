const BOUNDARY = 'fuzz-boundary';
const LONG = 100_000;
/** Just under what the head of a part may have. */
const FITS_IN_PART_HEAD = 75_000;
/** Just under what a text may have. */
const FITS_IN_FIELD = 250_000;

type Field = [name: string, text: string];

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const part = (head: string, text: string): string => `--${BOUNDARY}\r\n${head}\r\n\r\n${text}\r\n`;
const field = ([name, text]: Field): string => part(`Content-Disposition: form-data; name="${name}"`, text);
const file = (content: string, name = 'a.wav'): string => part(`Content-Disposition: form-data; name="file"; filename="${name}"`, content);
const whole = (...parts: string[]): string => `${parts.join('')}--${BOUNDARY}--\r\n`;
/** After a file it makes the form wrong: no job comes of it, however far it is read. */
const SECOND_SOURCE = field(['audio_url', 'https://example.org/a.mp3']);

/** The fields after a file, so that their texts are validated. */
export const formOf = (fields: readonly Field[]): string => whole(file('RIFF'), ...fields.map(field), SECOND_SOURCE);

/** Where a run may stand in a form besides the text of a described field. */
export const FORM_PLACES: Readonly<Record<string, { lengths: readonly number[]; make(text: string): string }>> = {
  text: { lengths: [FITS_IN_FIELD], make: (text) => whole(field(['audio_url', text])) },
  'JSON text': { lengths: [FITS_IN_FIELD], make: (text) => formOf([['metadata', `{"a":"${text}`], ['vocabulary', `["${text}"]`], ['diarization', text]]) },
  'field name': { lengths: [LONG, FITS_IN_PART_HEAD], make: (text) => formOf([[text, 'x']]) },
  'metadata name': { lengths: [LONG, FITS_IN_PART_HEAD], make: (text) => formOf([[`metadata[${text}]`, 'x']]) },
  'file name': { lengths: [LONG, FITS_IN_PART_HEAD, 300], make: (text) => whole(file('RIFF', text), SECOND_SOURCE) },
  'extended file name': { lengths: [FITS_IN_PART_HEAD], make: (text) => whole(part(`Content-Disposition: form-data; name="file"; filename*=utf-8''${text}`, 'RIFF'), SECOND_SOURCE) },
  disposition: { lengths: [LONG, FITS_IN_PART_HEAD], make: (text) => whole(part(`Content-Disposition: form-data; name="language";${text}`, 'en'), SECOND_SOURCE) },
  'content type of a part': { lengths: [LONG, FITS_IN_PART_HEAD], make: (text) => whole(part(`Content-Disposition: form-data; name="language"\r\nContent-Type: text/plain;${text}`, 'en'), SECOND_SOURCE) },
  'encoding of a part': { lengths: [FITS_IN_PART_HEAD], make: (text) => whole(part(`Content-Disposition: form-data; name="language"\r\nContent-Transfer-Encoding: ${text}`, 'en'), SECOND_SOURCE) },
  'head of a part': { lengths: [LONG, FITS_IN_PART_HEAD], make: (text) => whole(part(text, 'en'), SECOND_SOURCE) },
  preamble: { lengths: [LONG], make: (text) => `${text}\r\n${formOf([])}` },
  content: { lengths: [1_000_000], make: (text) => whole(file(text), SECOND_SOURCE) },
};

/** Forms as large as they may be, or larger, of what costs most by the byte. */
export const FORMS: Readonly<Record<string, () => string>> = {
  'of control characters': () => whole(...fields(5, (index) => [`metadata[${index}]`, '\u0001'.repeat(205_000)])),
  'of control characters in JSON': () => whole(...fields(4, (index) => [['metadata', 'vocabulary', 'summary', 'highlights'][index] ?? '', `["${'\\u0001'.repeat(41_000)}"]`])),
  'of letters': () => whole(...fields(5, (index) => [`metadata[${index}]`, 'a'.repeat(205_000)])),
  'of wide letters': () => whole(...fields(5, (index) => [`metadata[${index}]`, '界'.repeat(68_000)])),
  'of names': () => whole(...fields(13, (index) => [`${index}${'\u0001'.repeat(FITS_IN_PART_HEAD)}`, 'x'])),
  'of 25 MB': () => whole(...fields(100, (index) => [`metadata[${index}]`, '\u0001'.repeat(FITS_IN_FIELD)])),
  'of repeated terms': () => whole(...fields(99, () => ['vocabulary', 'a'.repeat(10_000)])),
  'of many values': () => whole(...fields(3, (index) => [['metadata', 'vocabulary', 'highlights'][index] ?? '', `[${'1,'.repeat(120_000)}1]`])),
  'of many fields': () => whole(...fields(5000, (index) => [`f${index}`, 'x'])),
  'of empty heads': () => whole(`--${BOUNDARY}\r\n\r\n\r\n`.repeat(40_000)),
  'of heads of many fields': () => whole(...Array.from({ length: 90 }, (_, index) => part(`Content-Disposition: form-data; name="metadata[${index}]"${'\r\na:b'.repeat(1990)}`, 'x'))),
  'of parameters': () => whole(...Array.from({ length: 12 }, (_, index) => part(`Content-Disposition: form-data; name="metadata[${index}]"${';a="b"'.repeat(12_000)}`, 'x'))),
  'of almost boundaries': () => whole(field(['metadata[a]', `\r\n--${BOUNDARY.slice(0, -1)}`.repeat(14_000)]), file(`\r\n--${BOUNDARY.slice(0, -1)}`.repeat(60_000)), SECOND_SOURCE),
  'of line ends': () => whole(field(['metadata[a]', '\r\n'.repeat(120_000)]), file('\r\n-'.repeat(330_000)), SECOND_SOURCE),
};

const fields = (count: number, make: (index: number) => Field): string[] => Array.from({ length: count }, (_, index) => field(make(index)));
