import type { Situation } from "../logic/atoms.js";
import type { Directive } from "../project/directive.js";
import type { AskedClient } from "./asked-client.js";

/** What the rules of a section say to somebody, as far as merging can tell. */
export interface SectionAnswer {
  /** The same text for what nothing can tell apart, whatever the section is merged with. */
  readonly result: string;
  /** The lines that make it so. */
  readonly by: readonly Directive[];
}

export type Answers = (client: AskedClient) => SectionAnswer;

/** Something that a section might do without: a line, or a container with all that is in it. */
export interface Removable {
  readonly directive: Directive;
  /** What there is in a container. */
  readonly inner: readonly Removable[];
  /** Whether it has something to say to somebody: an Allow that names them. */
  readonly speaksTo: (client: AskedClient) => boolean;
  /** Some to whom it may matter, one for each word that names somebody: where it does to one of them, nothing needs to be proved. */
  readonly samples: readonly Situation[];
  /** Of the lines that make an answer what it is, those that stand in its place. */
  readonly rivalsIn: (by: readonly Directive[]) => readonly Directive[];
}

/** The rules of a section of one kind, old ones or Require. */
export interface SectionRules {
  readonly removables: readonly Removable[];
  readonly answers: Answers;
  /** Undefined where the server would refuse what is left, or take other rules in its place: those from further out. */
  readonly without: (directive: Directive) => SectionRules | undefined;
}
