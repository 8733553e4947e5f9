/**
 * Does the same for a name as often as asked, but never twice at once, and once for all who ask while it is being done:
 * what it finds then is newer than what any of them wrote before asking.
 */
export class NextCall {
  private readonly calls = new Map<string, { running: Promise<void>; next?: Promise<void> }>();

  constructor(private readonly call: (name: string) => Promise<void>) {}

  ask(name: string): Promise<void> {
    const known = this.calls.get(name);
    if (known) return (known.next ??= known.running.then(() => this.begin(name), () => this.begin(name)));
    return this.begin(name);
  }

  private begin(name: string): Promise<void> {
    const running = this.call(name);
    const entry = { running };
    this.calls.set(name, entry);
    const forget = () => {
      if (this.calls.get(name) === entry && !('next' in entry)) this.calls.delete(name);
    };
    running.then(forget, forget);
    return running;
  }
}
