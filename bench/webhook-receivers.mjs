// Receivers of webhooks, each with an address of its own (127.0.0.0/8), in a process of their own. It reports the time of each arrival.
import { createServer } from 'node:http';

let hanging = new Set();
let expected = Infinity;
let arrivals = [];

const server = createServer({ keepAliveTimeout: 10_000 }, (request, response) => {
  const address = request.socket.localAddress;
  request.resume();
  request.on('end', () => {
    if (hanging.has(address)) return;
    response.writeHead(204).end();
    arrivals.push([address, Date.now()]);
    if (arrivals.length === expected) report();
  });
});
server.on('connection', (socket) => socket.on('error', () => {}));

function report() {
  process.send({ arrivals });
}

process.on('message', (order) => {
  hanging = new Set(order.hanging ?? []);
  expected = order.expected;
  arrivals = [];
  process.send({ ready: true });
});
// Only the loopback network is served: a connection to another address of this host is refused.
server.on('connection', (socket) => socket.localAddress.startsWith('127.') || socket.destroy());
server.listen(0, '0.0.0.0', () => process.send({ port: server.address().port }));
