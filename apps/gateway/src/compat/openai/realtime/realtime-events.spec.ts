import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { GatewayHarness } from '../../../../test/gateway-harness.js';

const MIB = 1024 * 1024;

describe('an event of OpenAI’s realtime protocol', () => {
  let gateway: GatewayHarness;
  const sockets: WebSocket[] = [];
  beforeAll(async () => {
    gateway = await GatewayHarness.start();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.terminate();
    await gateway[Symbol.asyncDispose]();
  });

  const open = async () => {
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/realtime?intent=transcription`, { headers: { authorization: `Bearer ${gateway.apiKey}` } });
    sockets.push(socket);
    await once(socket, 'open');
    return socket;
  };
  /** An event with so much in it that is refused for its content, so that no session begins. @returns the code of the error */
  const refusalOf = async (socket: WebSocket, bytes: number) => {
    const answer = new Promise<string>((resolve) => {
      socket.on('message', (data: Buffer) => {
        const event = JSON.parse(data.toString('utf8')) as { type: string; error?: { code: string } };
        if (event.type === 'error') resolve(event.error?.code ?? '');
      });
    });
    socket.send(JSON.stringify({ type: 'input_audio_buffer.append', audio: `${'A'.repeat(bytes)}%` }));
    return answer;
  };

  it('may have 15 MiB of audio, on four connections of an account at once', async () => {
    const four = [await open(), await open(), await open(), await open()];
    const fifth = await open();
    expect(await refusalOf(four[3]!, 20 * MIB)).toBe('invalid_value');
    expect(await refusalOf(four[2]!, 21 * MIB)).toBe('payload_too_large');
    expect(await refusalOf(fifth, 2 * MIB)).toBe('payload_too_large');
    four[0]!.close();
    await once(four[0]!, 'close');
    expect(await refusalOf(await open(), 2 * MIB)).toBe('invalid_value');
  });
});
