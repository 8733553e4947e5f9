// The microphone as 16-bit samples of one channel.

/** The rate of the engines: the server converts others. */
const WANTED_RATE = 16_000;

/** @returns `sampleRate`, `listen(onBlock)`, `close()`. @throws Error when there is no microphone, or its use is not allowed */
export async function openMicrophone() {
  if (!navigator.mediaDevices) throw new Error('Browsers give the microphone to pages over HTTPS, and of this machine, only.');
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } });
  const { context, source } = await connect(stream);
  await context.audioWorklet.addModule('/console/live-samples.js');
  const samples = new AudioWorkletNode(context, 'samples', { numberOfOutputs: 0, channelCount: 1, channelCountMode: 'explicit' });
  return {
    sampleRate: context.sampleRate,
    /** Calls with an ArrayBuffer for each tenth of a second. */
    listen(onBlock) {
      samples.port.addEventListener('message', ({ data }) => onBlock(data));
      samples.port.start();
      source.connect(samples);
    },
    async close() {
      source.disconnect();
      for (const track of stream.getTracks()) track.stop();
      await context.close();
    },
  };
}

/** Not every browser converts a microphone's rate: then the samples have the rate of the machine. */
async function connect(stream) {
  const context = new AudioContext({ sampleRate: WANTED_RATE });
  try {
    return { context, source: context.createMediaStreamSource(stream) };
  } catch (error) {
    await context.close();
    if (error.name !== 'NotSupportedError') throw error;
    const own = new AudioContext();
    return { context: own, source: own.createMediaStreamSource(stream) };
  }
}
