// The commands on one screen, by what one does with them. Every command that help lists stands in one family.

export const FAMILIES: readonly (readonly [family: string, commands: string])[] = [
  ["agents", "chat send run council pipe answer spawn fork"],
  ["processes", "ps top w wait attach logs kill nice renice uptime last"],
  ["approvals", "approvals approve deny mode caps"],
  ["later", "at every on crontab"],
  ["changes", "diff undo rewind history compact"],
  ["models, cost", "models model usage budget outage"],
  ["inside", "strace debug perf pmap prompt events audit lsof bugreport"],
  ["files", "ls cat tail cp mv rm mkdir edit tree stat find grep ln chmod chown touch du"],
  ["home", "auth user passwd context skills media backup restore df paths doctor fsck kernel"],
  ["remote", "serve login logout remote bootstrap"],
  ["more", "sh fetch api mcp oauth acp manager schema explain completion man help"],
];
