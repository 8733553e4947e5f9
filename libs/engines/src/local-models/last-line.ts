/** The last complaint of a program that runs a model, to be put after a message: without the place in sherpa-onnx's sources and without folders of this machine. */
export function lastLine(log: string): string {
  const line = log.trim().split('\n').at(-1) ?? '';
  const text = line.replace(/^\S+:\S+:\d+ /, '').replaceAll(/(?:\/[^\s/:']+)+\//g, '').trim();
  return text === '' ? '' : `: ${text.slice(0, 200)}`;
}
