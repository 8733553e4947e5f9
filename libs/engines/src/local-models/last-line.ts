/** `file:function:line` */
const IS_PLACE = /^[^:]+:[^:].*:\d+$/;

/** The last complaint of a program that runs a model, to be put after a message: without the place in sherpa-onnx's sources and without folders of this machine. */
export function lastLine(log: string): string {
  const line = log.trim().split('\n').at(-1) ?? '';
  const [place = ''] = line.split(' ', 1);
  const said = IS_PLACE.test(place) ? line.slice(place.length + 1) : line;
  const text = said.replaceAll(/(?:\/[^\s/:']+)+\//g, '').trim();
  return text === '' ? '' : `: ${text.slice(0, 200)}`;
}
