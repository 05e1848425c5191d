import { estimateMessages, estimateTokens } from "#src/models/estimate-tokens.ts";
import type { ModelMessage, ModelRequest } from "#src/models/model.ts";
import { keptHistory, spoken, toMessage, transcript, turnMessages, type Conversation } from "./transcript.ts";
import type { Compaction } from "./compaction.ts";
import type { Unit } from "./folded.ts";
import { summaryTokens } from "./summarise.ts";

/** A conversation with the system prompt and the tools of its request. */
export interface Context extends Pick<ModelRequest, "system" | "tools"> {
  conversation: Conversation;
}

/** Target sizes of a conversation, as shares of the window. */
export interface Goals {
  /** Estimated size at which compaction starts. */
  trigger: number;
  /** Size at which the cheap stages stop. */
  enough: number;
  /** Size that a summary makes room for. */
  target: number;
  /** Largest share for the newest turns, which are kept whole. */
  recent: number;
  /** Most messages before the task that stay. */
  messages: number;
}

/**
 * Number of messages before the task above which the older ones are folded, however small: every call pays for the
 * whole conversation.
 */
export const MANY_MESSAGES = 40;

/** Before a call: from four fifths of the window down to about half, so that the next compaction is far away. */
export const USUAL: Goals = { trigger: 0.8, enough: 0.6, target: 0.5, recent: 0.2, messages: Infinity };
/** After the provider refused the conversation: the estimate was wrong by an unknown factor. */
export const HARD: Goals = { trigger: 0, enough: 0.4, target: 0.25, recent: 0.1, messages: Infinity };
/** With many messages: half of them are folded in any case. */
export const MANY: Goals = { ...USUAL, enough: 0, messages: MANY_MESSAGES / 2 };

/** Share of the window reserved for the newest turns, however large the rest is. */
const RECENT_LEAST = 0.05;
/** Results of a single turn that is too large are cut to this length, then halved, down to `RESULT_LEAST_CHARS`. */
const RESULT_CHARS = 16_000;
const RESULT_LEAST_CHARS = 500;

/** Estimated tokens of the request. */
export function sizeOf({ conversation, system, tools }: Context, compaction: Compaction): number {
  return (
    estimateTokens({ system, tools, messages: transcript({ ...conversation, compaction }) }) *
    compaction.scale
  );
}

/**
 * Ratio of the provider's count for the last call to our estimate: at least 1, and at most 4, because a larger ratio
 * means that the provider counted something else. A conversation compacted since that call has no count yet; its
 * previous scale stays.
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
  /** The units that this cut folds, oldest first. */
  units: Unit[];
}

/**
 * Decides where to fold: keeps as many of the newest turns and messages as fit into the goals' room, and always the
 * last turn. Turns and messages are never split.
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
  // The last turn stays even if it needs more than the room.
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

/** Returns how many of the last prices fit into the room. */
function fitting(prices: readonly number[], room: number): number {
  let left = room;
  const tooMuch = prices.findLastIndex((price) => {
    left -= price;
    return left < 0;
  });
  return prices.length - 1 - tooMuch;
}

/** The cheap stage: replaces results of the turns that would be folded, and pictures before the task, by notes. */
export function emptied(compaction: Compaction, cut: Cut): Compaction {
  const emptiedThrough = Math.max(compaction.emptiedThrough, cut.throughIteration);
  return { ...compaction, emptiedThrough, picturesGone: true };
}

/** Folds at a cut: the summary replaces the cut's units, the rest is shown whole. */
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

/**
 * Last resort when a single turn is too large: cuts its results to head and tail until the request is below `most`
 * tokens.
 */
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
