/** A node of a test machine does not hold hundreds of indices. */
export async function deleteIndices(openSearchUrl: string, installation: string): Promise<void> {
  const answer = await fetch(`${openSearchUrl}/_cat/indices/${installation}-*?format=json`);
  const indices = answer.ok ? ((await answer.json()) as { index: string }[]) : [];
  await Promise.all(indices.map(({ index }) => fetch(`${openSearchUrl}/${index}`, { method: 'DELETE' })));
}
