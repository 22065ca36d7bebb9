/**
 * What a directive says, whoever says it: directives with the same text that are read in the same way share one. What can
 * be told from the words alone need be worked out only once.
 */
export class Statement {
  /** Whether more than one directive says it. */
  isRepeated = false;
}
