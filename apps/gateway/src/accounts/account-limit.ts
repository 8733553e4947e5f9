/** The use and the maximum of one kind of thing that an account stores: a number, or bytes. */
export interface AccountLimit {
  used: number;
  limit: number;
}
