import { auditCommand } from "./audit.js";
import { checkCommand } from "./check.js";
import type { Command, CommandName } from "./command.js";
import { compareCommand } from "./compare.js";
import { completionCommand } from "./completion.js";
import { explainCommand } from "./explain.js";
import { initCommand } from "./init.js";
import { lspCommand } from "./lsp.js";
import { mapCommand } from "./map.js";
import { migrateCommand } from "./migrate.js";
import { resolveCommand } from "./resolve.js";
import { rulesCommand } from "./rules.js";
import { testCommand } from "./test.js";
import { upgradeCommand } from "./upgrade.js";

/** All commands by name. */
export const commands: Readonly<Record<CommandName, Command>> = {
  check: checkCommand,
  resolve: resolveCommand,
  explain: explainCommand,
  test: testCommand,
  compare: compareCommand,
  map: mapCommand,
  audit: auditCommand,
  upgrade: upgradeCommand,
  migrate: migrateCommand,
  init: initCommand,
  rules: rulesCommand,
  lsp: lspCommand,
  completion: completionCommand,
};
