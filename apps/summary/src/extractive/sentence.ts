const ENDS = /[.!?…。！？؟۔।:;,]["'”’)\]]*$/u;
const SPACED = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]$/u;

/** The text as a written sentence, since recognisers often write neither capitals nor full stops. */
export function sentence(text: string): string {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  const begun = line.charAt(0).toLocaleUpperCase('en') + line.slice(1);
  return ENDS.test(begun) || !SPACED.test(begun) ? begun : `${begun}.`;
}

/** As a title: at most this long, cut at a word. */
export function titleOf(text: string, maxLength = 80): string {
  const line = sentence(text).replace(/[.,;:]$/u, '');
  if (line.length <= maxLength) return line;
  const cut = line.slice(0, maxLength);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), maxLength / 2)).trimEnd()}…`;
}

/** `1:02:03` or `2:03`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
