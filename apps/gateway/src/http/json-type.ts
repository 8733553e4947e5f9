const JSON_TYPE = /^application\/(?:[\w.+-]{1,64}\+)?json$/i;
/** RFC 9110, section 5.6.6: a name with a token or a quoted string, or nothing, up to the next semicolon. */
const PARAMETER = /^[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(?:;|$)/;

type JsonType = 'json' | 'other_charset' | 'other';

/** Checks that a Content-Type is a JSON body in UTF-8 (RFC 8259, section 8.1): another charset would be read wrongly. */
export function jsonTypeOf(header: string | undefined): JsonType {
  if (header === 'application/json') return 'json';
  const [type = ''] = (header ?? '').split(';', 1);
  if (!JSON_TYPE.test(type.trim())) return 'other';
  const charsets = charsetsIn((header ?? '').slice(type.length + 1));
  if (!charsets) return 'other';
  return charsets.every((charset) => /^utf-?8$/i.test(charset)) ? 'json' : 'other_charset';
}

/** The values of `charset` among the parameters; undefined when one of them cannot be read. */
function charsetsIn(parameters: string): string[] | undefined {
  const charsets: string[] = [];
  let rest = parameters;
  while (rest !== '') {
    const match = PARAMETER.exec(rest);
    if (!match) return undefined;
    const [whole, name, token, quoted] = match;
    if (name?.toLowerCase() === 'charset') charsets.push(token ?? quoted ?? '');
    rest = rest.slice(whole.length);
  }
  return charsets;
}
