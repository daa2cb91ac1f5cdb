// The rows of the capability matrix for schedules: each account has only its own, and processes change none without an approval.

import { ALL, type Owner, PERSON, type Row, type Rows, type World } from "./world.ts";

const SEEN: Row = ["ok", "ENOENT", "ENOENT", "ok", "ENOENT"];
const OWN: Row = ["ok", "ENOENT", "ENOENT", "EPERM", "EPERM"];

const theSchedule = async (world: World, owner: Owner) => {
  const name = world.fresh();
  await world.people[owner].call("sched.add", { when: "every 1h", text: "hello", name });
  return { schedule: name };
};

export const SCHEDULE_ROWS: Rows = {
  "sched.list": { outcomes: ALL, about: () => ({}) },
  "sched.next": { outcomes: ALL, about: () => ({ when: "every 1h" }) },
  "sched.get": { outcomes: SEEN, about: theSchedule },
  "sched.history": { outcomes: SEEN, about: theSchedule },
  "sched.add": {
    outcomes: PERSON,
    about: (world) => ({ when: "every 1h", text: "true", exec: true, name: world.fresh() }),
  },
  "sched.update": { outcomes: OWN, about: theSchedule },
  "sched.remove": { outcomes: OWN, about: theSchedule },
  "sched.run": { outcomes: OWN, about: theSchedule },
};
