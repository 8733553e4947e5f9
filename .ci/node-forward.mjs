// Lets pods reach a server that listens on loopback, and takes it away from them: node-forward.mjs ADDRESS PORT, until it is killed.
//   SIGUSR2  the server is away: connections end, new ones are refused
//   SIGHUP   it is back
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [address, port] = [process.argv[2], Number(process.argv[3])];
const open = new Set();
const server = createServer((near) => {
  const far = connect(port, '127.0.0.1');
  for (const socket of [near, far]) {
    open.add(socket);
    // A pipeline that has ended does not handle what its sockets still report.
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
  }
  pipeline(near, far, () => undefined);
  pipeline(far, near, () => undefined);
});
const serve = () => server.listen(port, address);

process.on('SIGUSR2', () => {
  server.close();
  for (const socket of open) socket.resetAndDestroy();
});
process.on('SIGHUP', () => server.listening || serve());
serve();
// While the server is away, nothing else keeps this process.
setInterval(() => undefined, 2 ** 30);
