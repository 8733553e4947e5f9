// Lets pods reach servers that listen on loopback: node-forward.mjs ADDRESS PORT…; runs until it is killed.
import { connect, createServer } from 'node:net';
import { pipeline } from 'node:stream';

const [address, ...ports] = process.argv.slice(2);
for (const port of ports.map(Number)) {
  createServer((near) => {
    const far = connect(port, '127.0.0.1');
    pipeline(near, far, () => undefined);
    pipeline(far, near, () => undefined);
  }).listen(port, address);
}
