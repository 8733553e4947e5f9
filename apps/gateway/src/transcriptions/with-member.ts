/** A JSON object that has members, with one more that is a stream. */
export async function* withMember(json: string, name: string, value: AsyncIterable<string>): AsyncGenerator<string> {
  yield `${json.slice(0, -1)},${JSON.stringify(name)}:`;
  yield* value;
  yield '}';
}
