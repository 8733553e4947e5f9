// Runs in the audio thread: gathers blocks of a tenth of a second as 16-bit samples.

class Samples extends AudioWorkletProcessor {
  #block = new Int16Array(Math.round(sampleRate / 10));
  #filled = 0;

  process([[channel]]) {
    for (const sample of channel ?? []) {
      this.#block[this.#filled++] = Math.round(Math.max(-1, Math.min(1, sample)) * 32_767);
      if (this.#filled === this.#block.length) this.#send();
    }
    return true;
  }

  #send() {
    const { buffer } = this.#block;
    this.port.postMessage(buffer, [buffer]);
    this.#block = new Int16Array(Math.round(sampleRate / 10));
    this.#filled = 0;
  }
}

registerProcessor('samples', Samples);
