// An approval that says nothing special, for tests that look at something else.

export const SHOWN = { kind: "approval", about: null, hash: "", expiresAt: null } as const;
export const UNSAID = { ...SHOWN, said: null, edited: false } as const;
