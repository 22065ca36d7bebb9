import type { Comparison } from "../../../grammar/expression/ast.js";
import { isInSubnet, parseAddress, readSubnet } from "../../text/addresses.js";
import { compareTexts } from "../../text/collections.js";
import { compileNameWildcard, compilePathWildcard } from "../../text/wildcards.js";

/** Compares two texts, or the integers at their start if the operator is one for integers. */
export function compareOperands(operator: Comparison["operator"]["name"], left: string, right: string): boolean {
  if (operator === "==") return left === right;
  const difference = operator.startsWith("-") ? parseInteger(left) - parseInteger(right) : compareTexts(left, right);
  switch (operator) {
    case "-eq":
      return difference === 0;
    case "!=":
    case "-ne":
      return difference !== 0;
    case "<":
    case "-lt":
      return difference < 0;
    case "<=":
    case "-le":
      return difference <= 0;
    case ">":
    case "-gt":
      return difference > 0;
    case ">=":
    case "-ge":
      return difference >= 0;
  }
}

/** A pattern for the words that `-T` counts as false, in any case. */
export const falseWord = "^(?:|0|off|false|no)$";

/** Evaluates an operator with one operand; returns undefined if its result is unknown. */
export function testOperand(operator: string, operand: string, clientIp: string): boolean | undefined {
  switch (operator) {
    case "-n":
      return operand !== "";
    case "-z":
      return operand === "";
    case "-T":
      return !new RegExp(falseWord, "i").test(operand);
    case "-R":
      return isAddressInNetwork(clientIp, operand);
    default:
      return undefined;
  }
}

/**
 * Evaluates an operator that matches one operand with another; returns undefined if its result is unknown.
 *
 * @param operator in lower case
 */
export function matchOperands(operator: string, left: string, right: string): boolean | undefined {
  switch (operator) {
    case "-ipmatch":
      return isAddressInNetwork(left, right);
    case "-strmatch":
      return compileNameWildcard(right)(left);
    case "-strcmatch":
      return compileNameWildcard(right.toLowerCase())(left.toLowerCase());
    case "-fnmatch":
      return compilePathWildcard(right)(left);
    default:
      return undefined;
  }
}

/** Returns undefined if the server cannot parse the network. */
function isAddressInNetwork(client: string, network: string): boolean | undefined {
  // An empty text is not an address, and not a name that the server would resolve.
  if (client === "") return false;
  const verdict = readSubnet(network);
  const address = parseAddress(client);
  return verdict.ok && address ? isInSubnet(address, verdict.value) : undefined;
}

/** Parses an integer as C's `atoi`: the leading digits, else 0. */
export function parseInteger(text: string): number {
  return Number(/^[\t-\r ]*([+-]?\d+)/.exec(text)?.[1] ?? 0);
}
