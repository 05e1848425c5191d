import { visible, type ConversationApproval, type ConversationCall } from "@agent-workspace/client";
import { duration } from "../duration.ts";
import { lineCountsOf, type LineCounts } from "./line-counts.ts";
import { fileOf, targetOf, wordsOf } from "./tool-words.ts";

/** What happened in a call, in a line. */
export interface CallLine {
  readonly verb: string;
  readonly target: string;
  /** The file that the target is. */
  readonly file: string | undefined;
  readonly counts: LineCounts | undefined;
  /** What else is worth knowing, such as `exit 1` and `4.2 s`. */
  readonly notes: readonly string[];
  readonly outcome: "running" | "done" | "failed" | "denied";
}

/** A denied call is told with who denied it, and why. */
export function lineOf(call: ConversationCall, approval: ConversationApproval | undefined): CallLine {
  const { tool, args, state, result, durationMs, progress } = call;
  const [asked, doing, did] = wordsOf(tool);
  const denial = denialOf(result, approval);
  const exit = result?.["exit_code"];
  const hasExit = typeof exit === "number";
  const outcome = denial === undefined ? state : "denied";
  const verbs = {
    running: doing,
    done: did,
    failed: hasExit ? did : `Could not ${lower(asked)}`,
    denied: asked,
  };
  const isOn = outcome === "running" && progress !== undefined;
  const took = durationMs === undefined || denial !== undefined ? [] : [duration(durationMs)];
  return {
    verb: verbs[outcome],
    target: targetOf(args),
    file: fileOf(tool, args),
    counts: lineCountsOf(call),
    notes: isOn
      ? [progressOf(progress)]
      : denial === undefined
        ? [...(hasExit ? [`exit ${exit}`] : []), ...took]
        : [denial],
    outcome,
  };
}

/** `Indexing (3 of 10)`: what a foreign tool says of itself. */
function progressOf({ message, progress, total }: NonNullable<ConversationCall["progress"]>): string {
  const count = total === undefined ? "" : `${progress} of ${total}`;
  if (message === "") return count === "" ? String(progress) : count;
  return count === "" ? visible(message) : `${visible(message)} (${count})`;
}

/** `Denied by Ada: too early`; undefined for a call that was not denied. */
function denialOf(
  result: ConversationCall["result"],
  approval: ConversationApproval | undefined,
): string | undefined {
  const denied: unknown = result?.["denied"];
  if (typeof denied !== "object" || denied === null)
    return approval?.state === "refused" ? sentence(undefined, approval.reason) : undefined;
  const { by, reason }: Record<string, unknown> = { ...denied };
  return sentence(textIn(by), textIn(reason) ?? approval?.reason);
}

function sentence(by: string | undefined, reason: string | undefined): string {
  return `Denied${by === undefined ? "" : ` by ${visible(by)}`}${reason === undefined ? "" : `: ${visible(reason)}`}`;
}

const textIn = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

const lower = (word: string) => word.charAt(0).toLowerCase() + word.slice(1);
