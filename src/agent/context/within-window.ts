import { contextWindow } from "#src/models/model-facts.ts";
import { ModelError, type Model, type ModelMessage, type ModelUsage } from "#src/models/model.ts";
import { keptHistory, spoken, transcript } from "./transcript.ts";
import { hasPictures, withFittingPictures } from "./fitting-pictures.ts";
import { NO_COMPACTION, type Compaction } from "./compaction.ts";
import { headAndTail } from "../tools/bound-text.ts";
import { outline } from "./folded.ts";
import {
  cutOf,
  emptied,
  folded,
  HARD,
  MANY,
  MANY_MESSAGES,
  scaleOf,
  shortened,
  sizeOf,
  USUAL,
  type Context,
  type Cut,
  type Goals,
} from "./plan.ts";
import { summarise, summaryTokens } from "./summarise.ts";

/** Number of failed summaries in a row after which a task uses outlines instead. */
const MAX_FAILURES = 3;

/** Share of the window from which every compaction that frees anything is done. */
const FULL = 0.95;
/** Share of the window that a compaction below `FULL` must free. */
const WORTHWHILE = 0.05;

const CHARS_PER_TOKEN = 4;

export interface WindowedContext extends Context {
  model: Model;
  /** Writes the summaries; defaults to the task's model. */
  summaryModel?: Model | undefined;
  /** Size of the model's window in tokens; derived from its name by default. */
  window?: number | undefined;
  /** The compaction stored last. */
  compaction: Compaction | null;
  signal: AbortSignal;
  /**
   * Stores the new compaction, so that a later executor builds the same transcript. Awaited before the call that uses
   * it, at most three times. `usage` is the usage of the summary numbered `summaries`; undefined when there was none.
   */
  onCompacted: (compaction: Compaction, usage: ModelUsage | undefined) => Promise<void>;
  /** Called when a summary failed; the task continues without it. */
  onSummaryFailed: (error: ModelError) => void;
}

/**
 * Fits a conversation into the model's window. From four fifths of the window on, old results are replaced by notes; if
 * that is not enough, the oldest turns are folded into a summary, and so are the older messages of a long chat before
 * the task.
 */
export class ConversationWindow {
  readonly #context: WindowedContext;
  #compaction: Compaction | null;
  #hasShrunk = false;

  constructor(context: WindowedContext) {
    this.#context = context;
    this.#compaction = context.compaction;
  }

  /** Returns the messages of the next call. May call the model for a summary. */
  async messages(): Promise<ModelMessage[]> {
    this.#compaction = await compactIfLarge(this.#context);
    return this.#transcript();
  }

  /**
   * Returns the messages to try after the provider refused the last ones: fewer if they were too long, and then, or after
   * any other refusal, without their pictures. Throws `context_too_long`, with a sentence for the user, when nothing more
   * can be left out, and any other refusal of messages without pictures.
   */
  async shrink(refusal: ModelError): Promise<ModelMessage[]> {
    // A conversation that is too long by its text gets shorter first, and keeps the pictures.
    const mayBePictures = !isTooLong(refusal) || this.#hasShrunk;
    if (mayBePictures && hasPictures(this.#transcript())) return this.#withoutPictures(refusal);
    if (!isTooLong(refusal)) throw refusal;
    if (this.#hasShrunk) throw hopeless(this.#context.model, refusal);
    this.#hasShrunk = true;
    this.#compaction = await compactHarder({ ...this.#context, compaction: this.#compaction }, refusal);
    return this.#transcript();
  }

  /** Stored like every compaction, or each later request would be refused for the same pictures. */
  async #withoutPictures({ message: why }: ModelError): Promise<ModelMessage[]> {
    const { conversation, onCompacted } = this.#context;
    const through = conversation.turns.at(-1)?.iteration ?? 0;
    const before = this.#compaction ?? NO_COMPACTION;
    const turns = conversation.turns.length;
    this.#compaction = { ...before, turns, picturesGone: true, refusedPictures: { through, why } };
    await onCompacted(this.#compaction, undefined);
    return this.#transcript();
  }

  #transcript(): ModelMessage[] {
    const { conversation, model } = this.#context;
    const messages = transcript({ ...conversation, compaction: this.#compaction });
    return withFittingPictures(messages, model.name);
  }
}

/** Compacts before a call if the conversation is large. Returns the compaction for the transcript, or null. */
async function compactIfLarge(context: WindowedContext): Promise<Compaction | null> {
  const before = context.compaction ?? NO_COMPACTION;
  // An earlier executor compacted here and was lost before the model answered: its transcript is built again.
  if (context.compaction && before.turns === context.conversation.turns.length) return context.compaction;
  const scaled = { ...before, scale: scaleOf(context, before) };
  const window = before.window ?? context.window ?? contextWindow(context.model.name);
  const shown = keptHistory(spoken(context.conversation.history), before);
  const goals = shown.length > MANY_MESSAGES ? MANY : USUAL;
  if (goals === USUAL && sizeOf(context, scaled) < window * USUAL.trigger) return context.compaction;
  return (await compact(context, scaled, window, goals)) ?? context.compaction;
}

/** Compacts after the provider refused the conversation as too long, even if the estimate was within the window. */
async function compactHarder(context: WindowedContext, refusal: ModelError): Promise<Compaction> {
  const before = context.compaction ?? NO_COMPACTION;
  const scaled = { ...before, scale: scaleOf(context, before) };
  const refused = sizeOf(context, scaled);
  const known = before.window ?? context.window ?? contextWindow(context.model.name);
  const window = Math.floor(Math.min(known, refused * 0.9));
  const after = await compact(context, { ...scaled, window }, window, HARD);
  if (!after || sizeOf(context, after) > refused * 0.9) throw hopeless(context.model, refusal);
  return after;
}

/** Runs the stages in order until the goals are met. Returns undefined when nothing can be left out. */
async function compact(
  context: WindowedContext,
  before: Compaction,
  window: number,
  goals: Goals,
): Promise<Compaction | undefined> {
  const cut = cutOf(context, before, window, goals);
  if (goals === USUAL && isPointless(context, before, cut, window)) return undefined;
  const turns = context.conversation.turns.length;
  let after = emptied({ ...before, turns }, cut);
  let usage: ModelUsage | undefined;
  if (cut.units.length > 0 && sizeOf(context, after) > window * goals.enough) {
    ({ compaction: after, usage } = await fold(context, { ...before, turns }, cut, window));
  }
  if (sizeOf(context, after) > window * Math.max(goals.trigger, goals.enough)) {
    after = shortened(context, after, window * goals.enough);
  }
  const isBetter = goals === MANY || sizeOf(context, after) < sizeOf(context, before);
  if (!isBetter && usage === undefined) return undefined;
  // A summary that frees nothing was paid for all the same: it is counted, and no other is made before the next turn.
  const kept = isBetter ? after : { ...before, turns, summaries: after.summaries };
  await context.onCompacted(kept, usage);
  return kept;
}

/**
 * Whether folding is not worth its cost: little is left to fold, and the window is not full yet. A summary at every
 * turn would cost more than it frees.
 */
function isPointless(context: Context, before: Compaction, cut: Cut, window: number): boolean {
  const size = sizeOf(context, before);
  const freed = size - sizeOf(context, folded(before, cut, before.summary));
  return size < window * FULL && freed < window * WORTHWHILE;
}

/** Folds into a summary, or into an outline when no summary can be made: a task never fails because of a summary. */
async function fold(
  context: WindowedContext,
  before: Compaction,
  cut: Cut,
  window: number,
): Promise<{ compaction: Compaction; usage: ModelUsage | undefined }> {
  const { model, summaryModel = model, signal, conversation } = context;
  const previous = before.summary || (conversation.chatSummary ?? "");
  const saved = sizeOf(context, before) - sizeOf(context, folded(before, cut, previous));
  const tokens = summaryTokens(Math.max(0, saved), window);
  let { failures } = before;
  if (failures < MAX_FAILURES) {
    try {
      const room = Math.floor(window / before.scale);
      const said = await summarise({
        model: summaryModel,
        previous,
        units: cut.units,
        tokens,
        window: Math.min(room, contextWindow(summaryModel.name)),
        signal,
      });
      const summaries = before.summaries + 1;
      return { compaction: { ...folded(before, cut, said.text), failures: 0, summaries }, usage: said.usage };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      failures += 1;
      context.onSummaryFailed(error);
    }
  }
  const chars = tokens * CHARS_PER_TOKEN;
  const text = [headAndTail(previous, chars), outline(cut.units, chars / 2)].filter(Boolean).join("\n\n");
  return { compaction: { ...folded(before, cut, text), failures }, usage: undefined };
}

/** Whether a provider refused a request, so that a smaller one may be taken. */
export function isRefusal(error: unknown): error is ModelError {
  return error instanceof ModelError && (isTooLong(error) || error.code === "invalid_request");
}

/** Whether a provider refused a conversation as longer than its model's window. */
function isTooLong({ code }: ModelError): boolean {
  return code === "context_too_long";
}

function hopeless(model: Model, cause: ModelError): ModelError {
  return new ModelError(
    "context_too_long",
    `The conversation is too long for ${model.name}, even after the older part was left out. Send less at once, or ` +
      "go on in a new chat",
    { retryable: false, cause },
  );
}
