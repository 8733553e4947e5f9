import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually } from '@parlance/testing';
import { refuseUnreadable } from './unreadable.js';

let server: Server;
const sockets: Socket[] = [];
beforeEach(async () => {
  server = createServer();
  server.on('clientError', (error, socket) => refuseUnreadable(error, socket, { id: 'req_1', routedUrl: (url) => url }));
  server.on('connect', (_request, socket) => refuseUnreadable(new Error('CONNECT'), socket, { id: 'req_1', routedUrl: (url) => url }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

it.each(['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 'no request\r\n\r\n'])('a client that sends %j gets its answer, and cannot hold the connection', async (text) => {
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(client);
  client.on('error', () => {});
  let answer = '';
  client.on('data', (bytes) => (answer += String(bytes)));
  client.write(text);
  const [connection] = await accepted;
  await once(connection, 'close');
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request/);
});

it('an answer that has begun is cut off, without another one in it', async () => {
  server.removeAllListeners('clientError');
  server.on('request', (_request, response) => {
    server.on('clientError', (error, socket) => refuseUnreadable(error, socket, { id: 'req_1', routedUrl: (url) => url, last: response }));
    response.write('the beginning');
  });
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(client);
  let answer = '';
  client.on('data', (bytes) => (answer += String(bytes)));
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually('the beginning', () => answer.includes('the beginning'));
  client.write('no request\r\n\r\n');
  await once(client, 'end');
  expect(answer).toMatch(/the beginning\r\n$/);
});
