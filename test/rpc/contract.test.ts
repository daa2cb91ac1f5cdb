import { sysContract } from "../contract/sys.ts";
import { behindDoor } from "../support/door.ts";
import { FakeHome } from "../support/kernels.ts";

sysContract("the socket client", async () => {
  const home = new FakeHome();
  return behindDoor(home.open(), () => home.close());
});
