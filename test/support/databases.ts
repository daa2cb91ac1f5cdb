// Access to the databases that a store opens, so that a test can make the disk full: SQLite refuses pages beyond a limit in the same way
// as without free space.

import { Db } from "../../src/store/open.ts";

export class Disk {
  private readonly open = new Map<string, Db>();
  private readonly script = Db.prototype.script;

  constructor() {
    const { open, script } = this;
    Db.prototype.script = function (this: Db, sql: string) {
      open.set(this.path, this);
      script.call(this, sql);
    };
  }

  /** From now on the file may grow by so many pages. */
  leave(path: string, pages: number): void {
    const db = this.db(path);
    const now = Number(db.get<{ page_count: number }>("PRAGMA page_count")?.page_count);
    db.get(`PRAGMA max_page_count = ${now + pages}`);
  }

  free(path: string): void {
    this.db(path).get("PRAGMA max_page_count = 4294967294");
  }

  restore(): void {
    Db.prototype.script = this.script;
  }

  private db(path: string): Db {
    const db = this.open.get(path);
    if (db === undefined) throw new Error(`${path} is not open`);
    return db;
  }
}
