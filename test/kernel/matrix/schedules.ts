// The rows of the capability matrix for schedules, watches, calls between processes and notifications: each account has only its own. Processes change
// no schedule without an approval, and neither read nor dismiss notifications.

import { ALL, type Owner, PERSON, pid, type Row, type Rows, type World } from "./world.ts";

const SEEN: Row = ["ok", "ENOENT", "ENOENT", "ok", "ENOENT"];
const OWN: Row = ["ok", "ENOENT", "ENOENT", "EPERM", "EPERM"];

const theSchedule = async (world: World, owner: Owner) => {
  const name = world.fresh();
  await world.people[owner].call("sched.add", { when: "every 1h", text: "hello", name });
  return { schedule: name };
};

const theNotification = async (world: World, owner: Owner) => {
  const { id } = await world.people[owner].call<{ id: string }>("notify.send", { title: "hello" });
  return { ids: [id] };
};

const theWatch = async (world: World, owner: Owner) => {
  const key = world.fresh();
  await world.people[owner].call("signal.watch", { signal: "chat.complete", notify: "hello", key });
  return { key };
};

export const SCHEDULE_ROWS: Rows = {
  "sched.list": { outcomes: ALL, about: () => ({}) },
  "sched.next": { outcomes: ALL, about: () => ({ when: "every 1h" }) },
  "sched.due": { outcomes: ALL, about: () => ({}) },
  "sched.get": { outcomes: SEEN, about: theSchedule },
  "sched.history": { outcomes: SEEN, about: theSchedule },
  "sched.add": {
    outcomes: PERSON,
    about: (world) => ({ when: "every 1h", text: "true", exec: true, name: world.fresh() }),
  },
  "sched.update": { outcomes: OWN, about: theSchedule },
  "sched.remove": { outcomes: OWN, about: theSchedule },
  "sched.run": { outcomes: OWN, about: theSchedule },
  "proc.ipc.send": {
    outcomes: ["EINVAL", "EINVAL", "EINVAL", "ok", "ESRCH"],
    about: async (world, owner) => ({ ...(await pid(world, owner)), message: "hello" }),
  },
  "proc.ipc.call": {
    outcomes: ["ok", "ESRCH", "EPERM", "ok", "ESRCH"],
    about: async (world, owner) => ({ ...(await pid(world, owner)), message: "hello" }),
  },
  "signal.list": { outcomes: ALL, about: () => ({}) },
  "signal.watch": {
    outcomes: PERSON,
    about: (world) => ({ signal: "chat.complete", notify: "hello", key: world.fresh() }),
  },
  "signal.unwatch": { outcomes: OWN, about: theWatch },
  "notify.list": { outcomes: ALL, about: () => ({}) },
  "notify.send": { outcomes: ALL, about: () => ({ title: "hello" }) },
  "notify.claim": { outcomes: PERSON, about: () => ({ news: "ask k3x9" }) },
  "notify.read": { outcomes: OWN, about: theNotification },
  "notify.dismiss": { outcomes: OWN, about: theNotification },
};
