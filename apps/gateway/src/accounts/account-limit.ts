/** How much of a kind an account has stored, and the most that it may have: in number or in bytes. */
export interface AccountLimit {
  used: number;
  limit: number;
}
