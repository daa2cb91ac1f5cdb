// A plain approval, for tests of something else.

export const SHOWN = { kind: "approval", about: null, hash: "", expiresAt: null } as const;
export const UNSAID = { ...SHOWN, said: null, edited: false } as const;
