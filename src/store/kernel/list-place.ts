// Where a page of a list in kernel.db ends and the next begins.

/** Where a page of a list ended: the instant a row was made, and its id among those of the same instant. */
export interface ListPlace {
  readonly createdAt: number;
  readonly id: string;
}
