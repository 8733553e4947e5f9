// The head and the texts of the documents that .ci/parts/documents makes; the texts are those of the unit tests.
import { readFileSync } from 'node:fs';

export const head = { title: 'Ten scripts', createdAt: '2026-11-21T10:00:00.000Z', language: 'en', duration: 120, speakers: [], sections: [] };

export const { SCRIPTS } = await import(`data:text/javascript,${encodeURIComponent(plainJavaScript())}`);

/** Without its types, which is all that the fixture has besides. */
function plainJavaScript() {
  const source = readFileSync(new URL('../libs/documents/test/document-fixture.ts', import.meta.url), 'utf8');
  const list = /export const SCRIPTS[^=]*= (\[[\s\S]*?\n\]);/.exec(source)?.[1];
  return `export const SCRIPTS = ${list};`;
}
