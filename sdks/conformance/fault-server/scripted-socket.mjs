import { on } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { WebSocketServer } from 'ws';
import { pattern } from './pattern.mjs';

const upgrades = new WebSocketServer({ noServer: true, handleProtocols: () => 'parlance.v1' });

/** Accepts the connection and plays the steps of a case. @returns the differences between what was expected and what came */
export async function playSocket(steps, { request, socket, head }) {
  const connection = await new Promise((resolve) => upgrades.handleUpgrade(request, socket, head, resolve));
  // A connection that breaks is closed as well.
  connection.on('error', () => undefined);
  const frames = on(connection, 'message', { close: ['close'] });
  for (const step of steps) {
    const fault = await played(step, { connection, socket, frames });
    if (fault !== undefined) return [fault];
  }
  return [];
}

/** @returns the fault of the step */
async function played({ send, send_text: text, expect, expect_audio: audio, expect_close: isClosing, close, drop }, { connection, socket, frames }) {
  if (send !== undefined) connection.send(JSON.stringify(send));
  if (text !== undefined) connection.send(text);
  if (audio !== undefined) return audioFault(audio, frames);
  if (expect !== undefined) return messageFault(expect, frames);
  if (isClosing) return (await frames.next()).done ? undefined : 'a frame instead of the close';
  if (close !== undefined) connection.close(close);
  if (drop) socket.destroy();
  return undefined;
}

/** Reads binary frames until they have the length. Their limits are the client's choice. */
async function audioFault({ offset, length }, frames) {
  let bytes = Buffer.alloc(0);
  while (bytes.length < length) {
    const { value: [data, isBinary] = [], done } = await frames.next();
    if (done) return `closed after ${bytes.length} of ${length} bytes from ${offset} on`;
    if (!isBinary) return `${data} after ${bytes.length} of ${length} bytes from ${offset} on`;
    bytes = Buffer.concat([bytes, data]);
  }
  return bytes.equals(pattern(offset, length)) ? undefined : `${bytes.length} bytes that are not the ${length} from ${offset} on`;
}

async function messageFault(expected, frames) {
  const { value: [data, isBinary] = [], done } = await frames.next();
  const wanted = JSON.stringify(expected);
  if (done) return `closed instead of ${wanted}`;
  if (isBinary) return `${data.length} bytes instead of ${wanted}`;
  return isDeepStrictEqual(JSON.parse(String(data)), expected) ? undefined : `${data} instead of ${wanted}`;
}
