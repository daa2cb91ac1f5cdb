// Big counts run as a seeded sample in `npm test` and in full in `npm run soak`.

/** How often to repeat: few times normally, the full count when soaking. */
export function samples(seededCount: number, fullCount: number): number {
  return process.env.GSV_SOAK === "1" ? fullCount : seededCount;
}
