import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { toAppError } from '@parlance/platform';
import { readJsonRequest } from './openai-json-body.js';
import { readClientEvent } from './realtime/realtime-events.js';

const never = new AbortController().signal;

/** @param pieceBytes of each piece that arrives */
function bodyOf(body: object, pieceBytes = Infinity): { raw: IncomingMessage } {
  const raw = new IncomingMessage(new Socket());
  const bytes = Buffer.from(JSON.stringify(body));
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) raw.push(bytes.subarray(at, at + pieceBytes));
  raw.push(null);
  return { raw };
}

const refusalOf = (error: unknown) => toAppError(error).fields?.[0];

describe('a body in JSON of a client of OpenAI', () => {
  it.each(['***', 'abc$', 'ab=c'])('is refused with the file %s, which is no Base64', async (data) => {
    const refusal = await readJsonRequest(bodyOf({ input_audio: { data } }), never).catch(refusalOf);
    expect(refusal).toEqual({ pointer: '/input_audio/data', code: 'invalid_value', detail: 'The data is not Base64.' });
  });

  it('has its file in either alphabet of Base64', async () => {
    expect(Buffer.concat((await readJsonRequest(bodyOf({ input_audio: { data: '-_8=' } }), never)).pieces).toString('hex')).toBe('fbff');
  });

  it.each([1, 40, 65_537])('may be a data URL, and arrive in pieces of %i bytes', async (pieceBytes) => {
    const bytes = Buffer.alloc(150_000, 'sound');
    const data = `data:audio/wav;base64,${bytes.toString('base64')}`;
    for (const before of [0, 65_490, 65_500]) {
      const { pieces, fields, fileName } = await readJsonRequest(bodyOf({ prompt: 'x'.repeat(before), input_audio: { data, format: 'wav' }, model: 'm' }, pieceBytes), never);
      expect([Buffer.concat(pieces).equals(bytes), fields['model'], fileName]).toEqual([true, 'm', 'audio.wav']);
    }
  });

  it.each([{ model: 'input_audio', data: 'AAAA' }, { input_audio: { meta: { data: 'x' } } }])('has its file in its place, whatever else is called so: %j', async (body) => {
    const { pieces } = await readJsonRequest(bodyOf({ ...body, input_audio: { ...body.input_audio, data: 'c291bmQ=' } }), never);
    expect(Buffer.concat(pieces).toString()).toBe('sound');
  });

  it('is given up when its place is given to another account', async () => {
    const losing = new AbortController();
    const raw = new IncomingMessage(new Socket());
    raw.push('{"input_audio": {"data": "');
    const reading = readJsonRequest({ raw }, losing.signal);
    losing.abort(new Error('lost'));
    await expect(reading).rejects.toThrow('lost');
    expect(raw.listenerCount('data')).toBe(0);
  });

  it('is told what is missing in a sentence of ours', async () => {
    expect(await readJsonRequest(bodyOf({}), never).catch(refusalOf)).toEqual({ pointer: '/input_audio', code: 'invalid_value', detail: 'This field is required.' });
  });
});

describe('an event of a realtime client', () => {
  it.each([
    [{ type: 'response.create' }, '/type', /^This must be one of: session\.update, .*input_audio_buffer\.clear\.$/],
    [{ type: 'input_audio_buffer.append', audio: '***' }, '/audio', /^The audio is not Base64\.$/],
    [[], '', /^This must be an object\.$/],
  ])('%j is told what is wrong in a sentence of ours', (event, pointer, detail) => {
    let refusal: unknown;
    try {
      readClientEvent(event);
    } catch (error) {
      refusal = refusalOf(error);
    }
    expect(refusal).toEqual({ pointer, code: 'invalid_value', detail: expect.stringMatching(detail) });
  });
});
