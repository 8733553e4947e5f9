/**
 * Gives the memory of bytes back at once; nobody can read them any longer. Garbage collection hardly sees the weight of audio:
 * it would lie about by the tens of megabytes. Bytes that share their memory with others stay.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  if (byteLength > 0 && buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
