import { frame, head, OPCODE } from './raw-frames.js';

const MEGABYTE = 1024 * 1024;

/** What a hostile client sends on an open socket. */
export interface Flood {
  name: string;
  /** Of some hundred kilobytes or one frame each, repeated until so many bytes are sent. */
  bytes: Buffer;
  /** The client reads no answer. */
  isUnread?: boolean;
}

/** A message that the server answers, in the protocol of the socket. */
export function floods(answered: string): Flood[] {
  const many = (one: Buffer) => Buffer.concat(Array.from({ length: Math.ceil((256 * 1024) / one.byteLength) }, () => one));
  const text = (content: string) => frame(OPCODE.text, Buffer.from(content));
  return [
    { name: 'tiny texts', bytes: many(text('{}')) },
    { name: 'tiny texts that are no JSON', bytes: many(text('x')) },
    { name: 'empty texts', bytes: many(text('')) },
    { name: 'one long text', bytes: text(`{"type":"${'x'.repeat(MEGABYTE - 100)}"}`) },
    { name: 'deep lists', bytes: text(`{"type":"keepalive","x":${'['.repeat(500_000)}${']'.repeat(500_000)}}`) },
    { name: 'many values', bytes: text(`[${'1,'.repeat(500_000)}1]`) },
    { name: 'long audio in Base64 that is none', bytes: text(`{"type":"input_audio_buffer.append","audio":"${'A'.repeat(MEGABYTE - 200)}%"}`) },
    { name: 'long audio with escaped slashes', bytes: text(`{"type":"input_audio_buffer.append","audio":"${'\\/'.repeat(MEGABYTE / 2 - 100)}%"}`) },
    { name: 'the longest audio', bytes: text(`{"type":"input_audio_buffer.append","audio":"${'A'.repeat(20 * MEGABYTE)}%"}`) },
    { name: 'tiny binary frames', bytes: many(frame(OPCODE.binary, Buffer.alloc(1))) },
    { name: 'empty binary frames', bytes: many(frame(OPCODE.binary, Buffer.alloc(0))) },
    { name: 'long binary frames', bytes: frame(OPCODE.binary, Buffer.alloc(MEGABYTE, 7)) },
    { name: 'compressed frames', bytes: frame(OPCODE.text, Buffer.from('{}'), { isCompressed: true }) },
    { name: 'half a frame', bytes: Buffer.concat([head(OPCODE.text, MEGABYTE), Buffer.alloc(MEGABYTE / 2, 'x')]) },
    { name: 'endless parts of a message', bytes: Buffer.concat([frame(OPCODE.text, Buffer.from('{'), { isFinal: false }), many(frame(OPCODE.continuation, Buffer.from(' '), { isFinal: false }))]) },
    { name: 'pings', bytes: many(frame(OPCODE.ping, Buffer.alloc(125))) },
    { name: 'pings whose answers are not read', bytes: many(frame(OPCODE.ping, Buffer.alloc(125))), isUnread: true },
    { name: 'messages whose answers are not read', bytes: many(text(answered)), isUnread: true },
  ];
}
