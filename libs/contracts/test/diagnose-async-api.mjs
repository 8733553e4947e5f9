// Prints what AsyncAPI's parser says of the document on standard input, as JSON. A process of its own: Jest cannot load the parser.
import { text } from 'node:stream/consumers';
import { Parser } from '@asyncapi/parser';

const { document, diagnostics } = await new Parser().parse(await text(process.stdin));
console.log(JSON.stringify({ version: document?.version(), diagnostics }));
