/**
 * 16 bit samples of the 256 codes of μ-law.
 * @see ITU-T G.711
 */
export const MULAW: Int16Array = table((code) => {
  const bits = ~code & 0xff;
  const magnitude = (((bits & 0x0f) << 3) + 0x84) << ((bits & 0x70) >> 4);
  return bits & 0x80 ? 0x84 - magnitude : magnitude - 0x84;
});

/**
 * 16 bit samples of the 256 codes of A-law.
 * @see ITU-T G.711
 */
export const ALAW: Int16Array = table((code) => {
  const bits = code ^ 0x55;
  const [mantissa, exponent] = [(bits & 0x0f) << 4, (bits & 0x70) >> 4];
  const magnitude = exponent === 0 ? mantissa + 8 : (mantissa + 0x108) << (exponent - 1);
  return bits & 0x80 ? magnitude : -magnitude;
});

function table(sampleOf: (code: number) => number): Int16Array {
  return Int16Array.from({ length: 256 }, (_, code) => sampleOf(code));
}
