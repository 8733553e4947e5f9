import { setTimeout as pause } from 'node:timers/promises';
import { pattern } from './pattern.mjs';

/** Gives the answer of a case, or does not. */
export async function answer(given, request, response) {
  const { status = 200, headers = {}, delay_ms: delay, fault } = given;
  if (delay) await pause(delay);
  if (fault === 'drop') return request.socket.destroy();
  // The client has to end it.
  if (fault === 'hang') return undefined;
  const { type, bytes } = bodyOf(given);
  const streams = given.events !== undefined;
  response.writeHead(status, { ...(type && { 'content-type': type }), ...(!streams && { 'content-length': bytes.length }), ...headers });
  if (!fault) return response.end(request.method === 'HEAD' ? undefined : bytes);
  response.write(bytes.subarray(0, fault.cut_after ?? fault.stall_after));
  if (fault.cut_after !== undefined) {
    await pause(20);
    request.socket.destroy();
  }
  return undefined;
}

function bodyOf({ json, text, html, events, bytes }) {
  if (json !== undefined) return { type: json.code && json.status ? 'application/problem+json' : 'application/json', bytes: Buffer.from(JSON.stringify(json)) };
  if (html !== undefined) return { type: 'text/html', bytes: Buffer.from(html) };
  if (events !== undefined) return { type: 'text/event-stream', bytes: Buffer.from(events.map(eventText).join('')) };
  if (bytes !== undefined) return { type: 'application/octet-stream', bytes: pattern(0, bytes) };
  return { type: text === undefined ? undefined : 'text/plain', bytes: Buffer.from(text ?? '') };
}

function eventText(event) {
  if (typeof event === 'string') return event;
  const { id, data } = event;
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${data.event}\ndata: ${JSON.stringify(data)}\n\n`;
}
