/** Finds a file of a model by its role; when there are several, the int8 one, or the other. */
export function pickModelFile(names: readonly string[], role: string, prefer: 'int8' | 'float' = 'int8'): string | undefined {
  const found = names.filter((name) => name.endsWith('.onnx') && name.split(/[-.]/).some((part) => part.startsWith(role))).toSorted();
  return found.find((name) => name.includes('.int8.') === (prefer === 'int8')) ?? found[0];
}
