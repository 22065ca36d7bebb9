import { type GoneModule, moduleByName, moduleNamed, renamedModule } from "../../src/directives/modules.js";
import { defineRule, type RuleContext } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import type { Guard } from "../../src/project/guards.js";
import { toReadable } from "../../src/text/source.js";

const oldAccess = new Set(["order", "allow", "deny", "satisfy"]);
const newAccess = new Set(["require", "<requireall", "<requireany", "<requirenone"]);
/** Modules that both releases have, so that a guard on them tells nothing about which access control there is. */
const undecided = new Set(["mod_authz_host.c", "authz_host_module", "mod_version.c", "version_module"]);

export const neverMatchingGuard = defineRule({
  id: "never-matching-guard",
  title: "A guard that asks for the wrong thing",
  severity: "warning",
  description: "`<IfModule>` with a name that no module has, a module that 2.4 renamed or dropped, or a module that does not tell what its content needs.",
  help: "What stands in a guard that never holds is left out without a word: access rules in it protect nothing. `<IfModule>` takes a source file (`mod_authz_core.c`) or an identifier (`authz_core_module`), in exactly that case, never a bare `mod_authz_core`. mod_authz_host is in both releases, so it does not tell old access control from new; mod_authz_core and mod_access_compat do.",
  tags: ["correctness", "security"],
  securitySeverity: 5,
  check: (context) => {
    const wrong = new Set<Guard>();
    return {
      everyDirective(directive) {
        const guard = directive.guard;
        if (guard?.kind !== "<ifmodule" || !undecided.has(guard.argument) || wrong.has(guard)) return;
        if (!oldAccess.has(directive.key) && !newAccess.has(directive.key)) return;
        wrong.add(guard);
        reportUndecided(guard, directive, context);
      },
      project() {
        const asked = new Set(context.project.guards.map((guard) => guard.argument));
        for (const guard of context.project.guards) {
          if (guard.kind === "<ifmodule") reportName(guard, asked, context);
        }
      },
    };
  },
});

function reportUndecided(guard: Guard, directive: Directive, { release, report }: RuleContext): void {
  if (release !== "2.4") return;
  const wanted = oldAccess.has(directive.key) ? "mod_access_compat.c" : "mod_authz_core.c";
  const name = toReadable(directive.name);
  report({
    message: `\`${toReadable(guard.argument)}\` is there in 2.2 and 2.4 alike, so this guard does not tell whether \`${name}${name.startsWith("<") ? ">" : ""}\` is known; ask for \`${wanted}\``,
    span: guard.span,
    related: [{ message: "the directive stands here", span: directive.span }],
  });
}

/** A name that cannot match, or that no longer can. */
function reportName(guard: Guard, asked: ReadonlySet<string>, { release, report }: RuleContext): void {
  const { argument } = guard;
  const name = toReadable(argument);
  const effect = guard.negated
    ? "so what it holds is always loaded"
    : "so what it holds is left out without a word";
  if (moduleByName("2.4", argument) || moduleByName("2.2", argument)) {
    const gone = release === "2.4" && !moduleByName("2.4", argument) ? renamedModule(argument) : undefined;
    // Beside a guard on the new name it is the half for 2.2.
    if (!gone || namesOf(gone).some((each) => asked.has(each))) return;
    report({ message: `2.4 has no \`${name}\`, ${effect}; ${gone.fate}`, span: guard.span });
    return;
  }
  const meant = meantBy(argument, release);
  if (meant === undefined) return;
  report({ message: `\`<IfModule ${name}>\` never matches, ${effect}; write \`${meant}\``, span: guard.span });
}

/** What a gone module is called now, in the ways that a guard may ask. */
function namesOf(gone: GoneModule): string[] {
  return gone.becomes.flatMap((name) => {
    const module = moduleNamed("2.4", name);
    return module ? [module.file, module.identifier] : [];
  });
}

/** The file that was meant: by a name without `.c`, in another case, or with the file's name made up after the module's. */
function meantBy(argument: string, release: "2.2" | "2.4"): string | undefined {
  const lower = argument.toLowerCase();
  const bare = lower.replace(/\.(c|so)$/, "").replace(/_module$/, "").replace(/^mod_/, "");
  const module = moduleByName(release, `${bare}_module`) ?? moduleNamed(release, `mod_${bare}`);
  if (module) return module.file;
  // A name without a suffix is neither a file nor an identifier, whoever's module it is.
  return /\.c$|_module$/.test(argument) || /\.c(pp|c)$/.test(argument) ? undefined : `${lower}.c`;
}
