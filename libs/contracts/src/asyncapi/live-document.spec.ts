import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { LIVE_CLOSE_CODES } from '../live/live-close-codes.js';
import { clientMessage, serverMessage } from '../live/live-messages.js';
import { liveDocument } from './live-document.js';

const text = readFileSync('docs/live/asyncapi.yaml', 'utf8');
const guide = readFileSync('docs/live.md', 'utf8');

/** Of Spectral's diagnostics; 0 is an error. */
const WARNING = 1;

interface Description {
  channels: { session: { messages: Record<string, unknown>; bindings: { ws: { query: { properties: object } } }; 'x-close-codes': { code: number }[] } };
  components: { messages: Record<string, { summary?: string; payload: object; examples?: { payload: Record<string, unknown> }[] }> };
}
const description = parse(text) as Description;
const { messages } = description.components;
const validatorOf = (name: string): ValidateFunction => new Ajv({ strict: false, allErrors: true }).compile(messages[name]!.payload);

const TYPES = { client: clientMessage.options.map(({ shape }) => shape.type.value), server: serverMessage.options.map(({ shape }) => shape.type.value) };
const SCHEMAS = { client: clientMessage, server: serverMessage };
const all = (['client', 'server'] as const).flatMap((side) => TYPES[side].map((type) => ({ side, type: type as string })));

describe('the description of the live socket', () => {
  it('is as the schemas say now', () => {
    expect(description).toEqual(JSON.parse(JSON.stringify(liveDocument())));
  });

  it('is AsyncAPI 3 without an error or a warning', () => {
    const { stdout } = spawnSync(process.execPath, ['libs/contracts/test/diagnose-async-api.mjs'], { input: text, encoding: 'utf8' });
    const { version, diagnostics } = JSON.parse(stdout) as { version: string; diagnostics: { severity: number; message: string }[] };
    expect(diagnostics.filter(({ severity }) => severity <= WARNING)).toEqual([]);
    expect(version).toBe('3.0.0');
  });

  it('has every message of the protocol, and no other but the audio', () => {
    expect(Object.keys(messages).toSorted()).toEqual(['audio', ...all.map(({ type }) => type)].toSorted());
    expect(Object.keys(description.channels.session.messages).toSorted()).toEqual(Object.keys(messages).toSorted());
    expect(Object.entries(messages).filter(([, { summary }]) => !summary).map(([name]) => name)).toEqual([]);
  });

  it('has the close codes and messages that the guide has', () => {
    const codes = [...guide.matchAll(/^\| (\d{4}) \|/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(LIVE_CLOSE_CODES.map(({ code }) => code));
    expect(description.channels.session['x-close-codes'].map(({ code }) => code)).toEqual(codes);
    expect(all.filter(({ type }) => !new RegExp(`^\\| \`${type}\` \\|`, 'm').test(guide)).map(({ type }) => type)).toEqual([]);
  });
});

describe.each(all)('the schema of $type', ({ side, type }) => {
  const payload = validatorOf(type);
  const example = messages[type]!.examples![0]!.payload;

  it('takes its example, as the code does', () => {
    expect([payload(example), payload.errors]).toEqual([true, null]);
    expect(SCHEMAS[side].parse(example)).toEqual(example);
  });

  it('has an example of every field', () => {
    expect(Object.keys((messages[type]!.payload as { properties: object }).properties).toSorted()).toEqual(Object.keys(example).toSorted());
  });

  it('takes what a newer server adds, and of a client nothing else', () => {
    expect(payload({ ...example, invented_later: 1 })).toBe(side === 'server');
    expect(payload({ ...example, type: 'other' })).toBe(false);
  });
});
