import type { Steps } from "../logic/budget.js";
import { type Classifier, Pairing } from "../logic/classifier.js";
import { withinFolders } from "./folder-tests.js";
import type { PathTests } from "./path-tests.js";
import type { SideTests } from "./side-tests.js";
import { TextTests, tellingApart } from "./text-tests.js";

/** The texts that are asked about. */
export type AskedText = "url" | "mapping" | "file" | "whole" | "backend";

/** What the servers themselves ask, without `.htaccess` files. */
export type ServerTests = Pick<SideTests, "main" | "own">;

/** Makes classifiers of what servers ask: the part of the main servers once for all hosts. */
export class AskedClassifiers {
  /** By what of it is asked on which sides. */
  private readonly ofMains = new Map<string, Classifier>();

  constructor(private readonly allowance: Steps) {}

  /** @param of each side of some, with its number */
  servers(text: AskedText, of: readonly (readonly [number, ServerTests])[]): Classifier {
    return this.pair(this.mains(text, of), this.tellingApart(of.map(([, { own }]) => own[text])));
  }

  all(text: AskedText, of: readonly (readonly [number, SideTests])[]): Classifier {
    const fixed = text === "file" ? of.map(([, each]) => each.fixed) : [];
    const asked = of.flatMap(([, { files }]) => files.map(({ tests }) => tests[text]));
    const own = [...of.map(([, each]) => each.own[text]), ...fixed];
    const mains = this.mains(text, of);
    if (text !== "file" && text !== "whole") return this.pair(mains, this.tellingApart([...own, ...asked]));
    // What a file asks of the name of a file it asks of those below its folder alone, unless others are led there.
    const inFolders = withinFolders(
      of.flatMap(([, { files, leadsOn }]) =>
        files.map(({ folder, tests }) => ({ folder: leadsOn ? "" : folder, tests: tests[text].others })),
      ),
      this.allowance,
    );
    return this.pair(this.pair(mains, this.tellingApart([...own, ...asked.map(literalsOf)])), inFolders);
  }

  private pair(first: Classifier, second: Classifier): Classifier {
    return new Pairing(first, second, this.allowance);
  }

  private tellingApart(tests: readonly TextTests[]): Classifier {
    return tellingApart(tests, this.allowance);
  }

  private mains(text: AskedText, of: readonly (readonly [number, ServerTests])[]): Classifier {
    const mains = of.flatMap(([side, { main }]) => (main ? [{ side, main }] : []));
    const key = [text, ...mains.map(({ side }) => side)].join();
    const made =
      this.ofMains.get(key) ?? this.tellingApart(mains.map(({ main }: { readonly main: PathTests }) => main[text]));
    this.ofMains.set(key, made);
    return made;
  }
}

function literalsOf({ paths, texts }: TextTests): TextTests {
  const literals = new TextTests();
  for (const path of paths) literals.paths.add(path);
  for (const text of texts) literals.texts.add(text);
  return literals;
}
