// Rows of the matrix: tokens, and logins over the network.

import { PERSON, PERSONS_OWN, type Rows } from "./world.ts";

export const LOGIN_ROWS: Rows = {
  "sys.token.create": { outcomes: PERSON, about: () => ({}) },
  "sys.token.list": { outcomes: PERSON, about: () => ({}) },
  "sys.token.revoke": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({
      id: (await world.people[owner].call<{ id: string }>("sys.token.create", {})).id,
    }),
  },
  "sys.login.list": { outcomes: PERSON, about: () => ({}) },
  "sys.login.revoke": {
    outcomes: PERSONS_OWN,
    about: async (world, owner) => ({
      id: (await world.people[owner].call<{ id: string }>("sys.token.create", {})).id,
    }),
  },
  // Nothing listens here.
  "sys.login.code": { outcomes: ["ECONFIG", "ECONFIG", "ECONFIG", "EPERM", "EPERM"], about: () => ({}) },
};
