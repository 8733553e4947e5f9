import { describe, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { ClientInbox, type ClientFrame } from './client-inbox.js';

const frameOf = (text: string): ClientFrame => ({ data: Buffer.from(text), isBinary: true });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function inbox(take: (frame: ClientFrame) => Promise<void> | undefined, hasRoom = () => true) {
  const socket = { isPaused: false, pause: () => void (socket.isPaused = true), resume: () => void (socket.isPaused = false) };
  const errors: unknown[] = [];
  return { socket, errors, inbox: new ClientInbox(socket, { take, hasRoom, onError: (error) => errors.push(error) }) };
}

/** Holds the event loop. */
function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('the frames of a client', () => {
  it('are taken in their order, each when the one before is done', async () => {
    const taken: string[] = [];
    let done = () => {};
    const { socket, inbox: frames } = inbox(({ data }) => {
      taken.push(String(data));
      return String(data) === 'slow' ? new Promise((resolve) => (done = resolve)) : undefined;
    });
    frames.open();
    for (const text of ['a', 'slow', 'b', 'c']) frames.add(frameOf(text));
    expect([taken, socket.isPaused]).toEqual([['a', 'slow'], true]);
    done();
    await turn();
    expect([taken, socket.isPaused]).toEqual([['a', 'slow', 'b', 'c'], false]);
  });

  it('of all connections together give the event loop back after some milliseconds', async () => {
    let taken = 0;
    const inboxes = [1, 2, 3].map(() =>
      inbox(() => {
        taken += 1;
        busy(4);
        return undefined;
      }),
    );
    for (const { inbox: frames } of inboxes) {
      for (const text of ['a', 'b', 'c', 'd']) frames.add(frameOf(text));
      frames.open();
    }
    expect(taken).toBeLessThan(6);
    expect(inboxes.at(-1)?.socket.isPaused).toBe(true);
    await eventually('all frames', () => taken === 12);
    expect(inboxes.map(({ socket }) => socket.isPaused)).toEqual([false, false, false]);
  });

  it('beyond what a second may have wait for the next one', async () => {
    let taken = 0;
    const { socket, inbox: frames } = inbox(() => void (taken += 1) as undefined);
    frames.open();
    for (let count = 0; count < 2100; count += 1) frames.add(frameOf(''));
    for (let turns = 0; turns < 50; turns += 1) await turn();
    expect([taken, socket.isPaused]).toEqual([2000, true]);
    frames.close();
    expect(socket.isPaused).toBe(false);
  });

  it('are dropped after its end, and an error is reported', async () => {
    const { errors, inbox: frames } = inbox(() => Promise.reject(new Error('no')));
    frames.open();
    frames.add(frameOf('a'));
    await turn();
    expect(errors).toEqual([new Error('no')]);
    frames.close();
    frames.add(frameOf('b'));
    await turn();
    expect(errors).toHaveLength(1);
  });
});
