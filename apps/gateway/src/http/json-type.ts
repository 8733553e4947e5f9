const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/i;
const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** RFC 9110, section 5.6.6: also none between two semicolons. */
const PARAMETER = new RegExp(`^(?:(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)"))?$`);
/** Semicolons that are not within quotes. */
const BETWEEN_PARAMETERS = /;(?=(?:[^"]*"[^"]*")*[^"]*$)/;

export type JsonType = 'json' | 'other_charset' | 'other';

/** What a Content-Type says of a JSON body, which is UTF-8 (RFC 8259, section 8.1): another charset would be read wrongly. */
export function jsonTypeOf(header: string | undefined): JsonType {
  if (header === 'application/json') return 'json';
  const [type = '', ...parameters] = (header ?? '').split(BETWEEN_PARAMETERS).map((part) => part.trim());
  if (!JSON_TYPE.test(type)) return 'other';
  const parsed = parameters.map((parameter) => PARAMETER.exec(parameter));
  if (parsed.includes(null)) return 'other';
  const charsets = parsed.flatMap((match) => (match?.[1]?.toLowerCase() === 'charset' ? [match[2] ?? match[3] ?? ''] : []));
  return charsets.every((charset) => /^utf-?8$/i.test(charset)) ? 'json' : 'other_charset';
}
