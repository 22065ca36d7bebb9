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

  /** @param of each side of some, with its number */
  servers(text: AskedText, of: readonly (readonly [number, ServerTests])[]): Classifier {
    return new Pairing(this.mains(text, of), tellingApart(of.map(([, { own }]) => own[text])));
  }

  all(text: AskedText, of: readonly (readonly [number, SideTests])[]): Classifier {
    const fixed = text === "file" ? of.map(([, each]) => each.fixed) : [];
    const asked = of.flatMap(([, { files }]) => files.map(({ tests }) => tests[text]));
    const own = [...of.map(([, each]) => each.own[text]), ...fixed];
    const mains = this.mains(text, of);
    if (text !== "file" && text !== "whole") return new Pairing(mains, tellingApart([...own, ...asked]));
    // What a file asks of the name of a file it asks of those below its folder alone, unless others are led there.
    const inFolders = withinFolders(
      of.flatMap(([, { files, leadsOn }]) =>
        files.map(({ folder, tests }) => ({ folder: leadsOn ? "" : folder, tests: tests[text].others })),
      ),
    );
    return new Pairing(new Pairing(mains, tellingApart([...own, ...asked.map(literalsOf)])), inFolders);
  }

  private mains(text: AskedText, of: readonly (readonly [number, ServerTests])[]): Classifier {
    const mains = of.flatMap(([side, { main }]) => (main ? [{ side, main }] : []));
    const key = [text, ...mains.map(({ side }) => side)].join();
    const made =
      this.ofMains.get(key) ?? tellingApart(mains.map(({ main }: { readonly main: PathTests }) => main[text]));
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
