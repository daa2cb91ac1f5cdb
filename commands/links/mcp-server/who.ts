// Who a connection acts as.

/** Of the secret that signs what clients keep. */
export const KEY_BYTES = 32;

export interface Who {
  readonly uid: number;
  readonly kind: string;
  readonly capabilities: readonly string[];
}
