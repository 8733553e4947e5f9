/** A refusal in the form of another vendor's API. */
export interface CompatRefusal {
  status: number;
  body: object;
  headers?: Readonly<Record<string, string>>;
}
