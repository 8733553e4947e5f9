import type { Server, Socket } from 'node:net';

/** @returns a function that closes the server with every connection it accepted: one that only the other side closed would keep a Jest worker alive. */
export function closeWithConnections(server: Server): () => Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
}
