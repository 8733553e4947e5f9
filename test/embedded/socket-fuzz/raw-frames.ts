export const OPCODE = { continuation: 0, text: 1, binary: 2, ping: 9 } as const;

interface FrameOptions {
  /** False: further frames of the message follow. */
  isFinal?: boolean;
  /** The bit of permessage-deflate, which was not negotiated. */
  isCompressed?: boolean;
}

/** A frame of a client as RFC 6455 has it, masked by zeros, so that its payload stays as it is. */
export function frame(opcode: number, payload: Uint8Array, { isFinal = true, isCompressed = false }: FrameOptions = {}): Buffer {
  return Buffer.concat([head(opcode, payload.byteLength, (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0)), payload]);
}

/** The head of a frame whose payload follows, or does not. */
export function head(opcode: number, length: number, bits = 0x80): Buffer {
  const first = bits | opcode;
  const mask = [0, 0, 0, 0];
  if (length < 126) return Buffer.from([first, 0x80 | length, ...mask]);
  if (length < 65_536) return Buffer.from([first, 0x80 | 126, length >> 8, length & 255, ...mask]);
  const long = Buffer.alloc(8);
  long.writeBigUInt64BE(BigInt(length));
  return Buffer.from([first, 0x80 | 127, ...long, ...mask]);
}
