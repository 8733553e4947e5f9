/** Bytes of a file of the suite: each is the rest of its place divided by 251. */
export function pattern(offset, length) {
  const bytes = Buffer.allocUnsafe(length);
  for (let index = 0; index < length; index++) bytes[index] = (offset + index) % 251;
  return bytes;
}
