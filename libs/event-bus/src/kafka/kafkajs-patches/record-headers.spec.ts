import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import './record-headers.js';
import { RecordWriter } from './record-writer.js';

interface Decoder {
  readVarInt(): number;
}

const require = createRequire(import.meta.url);
const DecoderClass = require('kafkajs/src/protocol/decoder') as new (bytes: Buffer) => Decoder;
const decodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder') as (decoder: Decoder, batch: object) => { headers: object };

/** Without those that every object has: kafkajs adds the value to what it finds there. */
const name = fc.oneof(fc.string(), fc.constantFrom('a', 'ce_id', '1')).filter((text) => !(text in {}));
const value = fc.string().map((text) => Buffer.from(text));

describe("a record's headers", () => {
  it('are read as they were written, those of one name together', () => {
    fc.assert(
      fc.property(fc.dictionary(name, fc.oneof(value, fc.array(value, { minLength: 2, maxLength: 3 })), { maxKeys: 9 }), (headers) => {
        const writer = new RecordWriter();
        writer.record({ value: null, headers }, 0);
        const decoder = new DecoderClass(writer.bytes);
        decoder.readVarInt();
        const read = decodeRecord(decoder, { firstOffset: '0', firstTimestamp: '0' });
        expect(Object.entries(read.headers)).toEqual(Object.entries(headers));
      }),
    );
  });
});
