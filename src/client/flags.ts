// `--set KEY=VALUE`: settings for one command. Values are checked as in `config set`. Refuses secrets, which would be visible in the process
// list, and settings of root.

import { SETTINGS, type Setting } from "../abi/config/config.ts";
import { canonicalValue } from "../abi/config/config-value.ts";
import { SysError } from "../abi/errno.ts";
import { checkSetting } from "../kernel/settings/setting-checks.ts";
import { settingNamed } from "../syscalls/system/config.ts";

export function flagsFrom(written: readonly string[]): { readonly [key: string]: string } {
  const flags: { [key: string]: string } = {};
  for (const text of written) {
    const [key, value] = flagFrom(text);
    if (Object.hasOwn(flags, key)) throw new SysError("EUSAGE", `--set ${key} is given twice`);
    flags[key] = value;
  }
  return flags;
}

function flagFrom(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals < 1) throw new SysError("EUSAGE", "--set takes KEY=VALUE", ["usage: gsv COMMAND … --set KEY=VALUE"]);
  const { name, uid } = settingNamed(text.slice(0, equals));
  const setting: Setting = SETTINGS[name];
  if (uid !== null) throw new SysError("EUSAGE", `--set cannot name an account: use --set ${name}=VALUE`);
  if (setting.type === "secret") {
    throw new SysError("EUSAGE", `--set cannot set ${name}: it is a secret`, [
      `type it at a hidden prompt: gsv config set ${name}`,
      ...(setting.env === undefined ? [] : [`or set ${setting.env} for this command`]),
    ]);
  }
  if (setting.writes === "root") {
    throw new SysError("EPERM", `--set cannot set ${name}: it is a setting of the whole home`, [
      `set it as root: gsv config set --system ${name} VALUE --user root`,
    ]);
  }
  const written = text.slice(equals + 1);
  if (written.trim() === "")
    throw new SysError("EUSAGE", `--set ${name}= has no value`, [`allowed values: gsv config get -v ${name}`]);
  const value = canonicalValue(name, setting, written);
  checkSetting(name, value);
  return [name, value];
}
