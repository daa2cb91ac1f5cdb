// The rows of the capability matrix for the kernel itself and its network listener.

import { ALL, PERSON, type Rows } from "./world.ts";

export const SYSTEM_ROWS: Rows = {
  "system.status": { outcomes: ALL, about: () => ({}) },
  "system.start": { outcomes: ALL, about: () => ({}) },
  "system.whoami": { outcomes: ALL, about: () => ({}) },
  "sys.version": { outcomes: ALL, about: () => ({}) },
  "sys.bootstrap": { outcomes: PERSON, about: () => ({}) },
  "sys.drain": { outcomes: PERSON, about: () => ({}) },
  "serve.status": { outcomes: PERSON, about: () => ({}) },
  // The kernel of this test is inside the test.
  "serve.start": { outcomes: ["ECONFIG", "ECONFIG", "ECONFIG", "EPERM", "EPERM"], about: () => ({}) },
  "serve.stop": { outcomes: ["ECONFIG", "ECONFIG", "ECONFIG", "EPERM", "EPERM"], about: () => ({}) },
};
