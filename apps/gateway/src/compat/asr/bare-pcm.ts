const SAMPLE_RATE = 16_000;
const SAMPLE_BYTES = 2;
const MAX_UINT32 = 0xffff_ffff;

/** The header of a WAV file whose length is not known, as ffmpeg writes it into a pipe. */
function wavHeader(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(MAX_UINT32, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE, 24);
  header.writeUInt32LE(SAMPLE_RATE * SAMPLE_BYTES, 28);
  header.writeUInt16LE(SAMPLE_BYTES, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(MAX_UINT32, 40);
  return header;
}

/** Samples without a header (signed, 16 bits, little-endian, 16 kHz, mono) as a WAV file. Nothing stays nothing. */
export async function* wavOfPcm(samples: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const bytes of samples) {
    if (isFirst && bytes.length > 0) {
      yield wavHeader();
      isFirst = false;
    }
    yield bytes;
  }
}

/** The first seconds of such samples. The rest is read and left out. */
export async function* firstSeconds(samples: AsyncIterable<Uint8Array>, seconds: number): AsyncGenerator<Uint8Array> {
  let left = seconds * SAMPLE_RATE * SAMPLE_BYTES;
  for await (const bytes of samples) {
    if (left > 0) yield bytes.subarray(0, left);
    left -= bytes.length;
  }
}
