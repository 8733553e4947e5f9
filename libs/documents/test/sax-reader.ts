/** A strict reader of the XML that documents are made of: elements closed in order, attributes quoted, entities known. */
export class SaxReader {
  constructor(private readonly xml: string) {}

  /** @throws Error when it is not well-formed */
  elements(): { name: string; attributes: Record<string, string>; text: string }[] {
    const found: { name: string; attributes: Record<string, string>; text: string }[] = [];
    const open: { name: string; attributes: Record<string, string>; text: string }[] = [];
    let at = 0;
    for (const match of this.xml.matchAll(/<\?xml[^?]*\?>|<(\/?)([\w:]+)((?:\s+[\w:]+="[^"<]*")*)\s*(\/?)>/g)) {
      this.addText(this.xml.slice(at, match.index), open.at(-1));
      at = match.index + match[0].length;
      const [, closes, name, attributes = '', isEmpty] = match;
      if (!name) continue;
      if (closes) {
        const last = open.pop();
        if (last?.name !== name) throw new Error(`</${name}> closes ${last?.name}`);
        continue;
      }
      const element = { name, attributes: attributesOf(attributes), text: '' };
      found.push(element);
      if (!isEmpty) open.push(element);
    }
    this.addText(this.xml.slice(at), undefined);
    if (open.length > 0) throw new Error(`${open.at(-1)?.name} is not closed`);
    return found;
  }

  texts(name: string): string[] {
    return this.elements().filter((element) => element.name === name).map(({ text }) => text);
  }

  attributes(name: string, attribute: string): string[] {
    return this.elements().filter((element) => element.name === name).flatMap(({ attributes }) => attributes[attribute] ?? []);
  }

  private addText(raw: string, element: { text: string } | undefined): void {
    if (raw.includes('<')) throw new Error(`not markup: ${raw.slice(0, 80)}`);
    if (!element && raw.trim() !== '') throw new Error(`text outside: ${raw.slice(0, 80)}`);
    if (element) element.text += decoded(raw);
  }
}

const attributesOf = (text: string): Record<string, string> =>
  Object.fromEntries(Array.from(text.matchAll(/([\w:]+)="([^"]*)"/g), ([, name = '', value = '']) => [name, decoded(value)]));

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const decoded = (text: string): string =>
  text.replace(/&(\w*);?/g, (entity, name: string) => {
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`unknown entity ${entity}`);
    return character;
  });
