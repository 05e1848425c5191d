import { estimateMessages, estimateTokens } from "#src/models/estimate-tokens.ts";
import type { ModelMessage, ModelRequest } from "#src/models/model.ts";
import {
  keptHistory,
  spoken,
  toMessage,
  transcript,
  turnMessages,
  type Conversation,
} from "../transcript.ts";
import type { Compaction } from "./compaction.ts";
import type { Unit } from "./folded.ts";
import { summaryTokens } from "./summarise.ts";

/** A conversation and what goes with it in a request. */
export interface Context extends Pick<ModelRequest, "system" | "tools"> {
  conversation: Conversation;
}

/** How small a conversation is made, in shares of the window. */
export interface Goals {
  /** Estimated size from which something is done. */
  trigger: number;
  /** Size with which the cheap stages are content. */
  enough: number;
  /** What a summary makes room for. */
  target: number;
  /** Most that the newest turns may take of it, whole. */
  recent: number;
  /** Most of the messages before the task that stay. */
  messages: number;
}

/** Messages before the task from which on the older ones are folded, however small they are: each call is paid by its length. */
export const MANY_MESSAGES = 40;

/** Before a call: from four fifths of the window to about half of it, so that the next time is far away. */
export const USUAL: Goals = { trigger: 0.8, enough: 0.6, target: 0.5, recent: 0.2, messages: Infinity };
/** After the provider has refused the conversation: the estimate was wrong, nobody knows by how much. */
export const HARD: Goals = { trigger: 0, enough: 0.4, target: 0.25, recent: 0.1, messages: Infinity };
/** Where there are many messages: half of them are folded in any case. */
export const MANY: Goals = { ...USUAL, enough: 0, messages: MANY_MESSAGES / 2 };

/** The newest turns get so much of the window, however large the rest is. */
const RECENT_LEAST = 0.05;
/** Results of a turn that is too large by itself are cut to this, by halves, and to no less than the second. */
const RESULT_CHARS = 16_000;
const RESULT_LEAST_CHARS = 500;

/** About how many tokens the request is. */
export function sizeOf({ conversation, system, tools }: Context, compaction: Compaction): number {
  return (
    estimateTokens({ system, tools, messages: transcript({ ...conversation, compaction }) }) *
    compaction.scale
  );
}

/**
 * How many times our estimate the provider counted for the last call: at least 1, and at most 4, above which something else
 * must have been counted. A conversation that was compacted since has no count yet; what was found before holds on.
 */
export function scaleOf(context: Context, compaction: Compaction): number {
  const last = context.conversation.turns.at(-1);
  if (!last || last.usage.inputTokens === 0 || compaction.turns === context.conversation.turns.length) {
    return compaction.scale;
  }
  const counted = last.usage.inputTokens + estimateMessages(turnMessages(last, compaction));
  return Math.min(4, Math.max(1, counted / sizeOf(context, { ...compaction, scale: 1 })));
}

export interface Cut {
  throughIteration: number;
  keptHistory: number;
  /** What is shown now and would be folded, oldest first. */
  units: Unit[];
}

/**
 * Where to fold: the newest turns and messages stay, as many as fit into what the goals leave for them, the last turn in
 * any case. Turns and messages are whole on either side.
 */
export function cutOf(context: Context, compaction: Compaction, window: number, goals: Goals): Cut {
  const { history, message } = context.conversation;
  const cost = (messages: readonly ModelMessage[]) => estimateMessages(messages) * compaction.scale;
  const turns = context.conversation.turns.filter(({ iteration }) => iteration > compaction.throughIteration);
  const said = keptHistory(spoken(history), compaction);
  const fixed =
    estimateTokens({
      system: context.system,
      tools: context.tools,
      messages: [{ role: "user", content: message }],
    }) * compaction.scale;
  const free = window * goals.target - fixed - summaryTokens(window, window);
  const room = Math.max(window * RECENT_LEAST, Math.min(window * goals.recent, free));

  const priceOfTurns = turns.map((turn) => cost(turnMessages(turn)));
  // The last turn stays even where it takes more than there is.
  const keptTurns = Math.max(fitting(priceOfTurns, room), Math.min(1, turns.length));
  const spent = priceOfTurns.slice(turns.length - keptTurns).reduce((sum, price) => sum + price, 0);
  const keptSaid =
    keptTurns < turns.length
      ? 0
      : Math.min(
          goals.messages,
          fitting(
            said.map((each) => cost([toMessage(each)])),
            room - spent,
          ),
        );
  const foldedTurns = turns.slice(0, turns.length - keptTurns);
  return {
    throughIteration: foldedTurns.at(-1)?.iteration ?? compaction.throughIteration,
    keptHistory: keptSaid,
    units: [
      ...said.slice(0, said.length - keptSaid).map((each): Unit => ({ kind: "message", message: each })),
      ...foldedTurns.map((turn): Unit => ({ kind: "turn", turn })),
    ],
  };
}

/** How many of the last prices add up to no more than there is room for. */
function fitting(prices: readonly number[], room: number): number {
  let left = room;
  const tooMuch = prices.findLastIndex((price) => {
    left -= price;
    return left < 0;
  });
  return prices.length - 1 - tooMuch;
}

/** The cheap stage: the results of turns that would be folded are shown as notes, and so are pictures before the task. */
export function emptied(compaction: Compaction, cut: Cut): Compaction {
  const emptiedThrough = Math.max(compaction.emptiedThrough, cut.throughIteration);
  return { ...compaction, emptiedThrough, picturesGone: true };
}

/** Fold at a cut: its units are told by the summary, what stays is shown whole. */
export function folded(compaction: Compaction, cut: Cut, summary: string): Compaction {
  return {
    ...compaction,
    summary,
    throughIteration: cut.throughIteration,
    keptHistory: cut.keptHistory,
    emptiedThrough: 0,
    shortened: null,
    picturesGone: true,
  };
}

/** What is left when a single turn is too large: its results are cut to head and tail until all is below `most` tokens. */
export function shortened(context: Context, compaction: Compaction, most: number): Compaction {
  const through = context.conversation.turns.at(-1)?.iteration;
  if (through === undefined) return compaction;
  let result = compaction;
  for (let chars = RESULT_CHARS; chars >= RESULT_LEAST_CHARS; chars = Math.floor(chars / 2)) {
    if (sizeOf(context, result) <= most) break;
    result = { ...compaction, shortened: { through, chars } };
  }
  return result;
}
