const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Matches characters that XML 1.0 (section 2.2) does not accept. */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** The text as XML's, in an element or an attribute in double quotes. */
export const xmlText = (text: string): string => text.replace(NO_XML, '').replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
