import { z } from "zod";

/**
 * What replaces the oldest part of a task's conversation for the model. It is stored with the task before the first
 * call that uses it, so that every later executor builds the same transcript.
 */
export const Compaction = z.object({
  /** Summary of the folded part; empty when nothing is folded. */
  summary: z.string(),
  /** How many of the newest messages before the task are still shown; null for all. Older ones are folded. */
  keptHistory: z.int().nullable(),
  /** Turns up to this iteration are folded. */
  throughIteration: z.int(),
  /** Results of turns up to this iteration are replaced by a short note. */
  emptiedThrough: z.int(),
  /** Results of turns up to iteration `through` are cut to `chars` characters each. */
  shortened: z.object({ through: z.int(), chars: z.int() }).nullable(),
  /** Whether pictures before the task are replaced by notes. */
  picturesGone: z.boolean(),
  /**
   * The provider refused a request with the pictures of the task's message and of turns up to iteration `through`: they
   * are replaced by notes with its sentence. Null if it never did.
   */
  refusedPictures: z.object({ through: z.int(), why: z.string() }).nullable().default(null),
  /** Number of turns the task had when this compaction was made. */
  turns: z.int(),
  /** Ratio of the provider's token count to our estimate when this compaction was made. */
  scale: z.number(),
  /** Window size, in our estimated tokens, learned when the model refused a conversation; null if it never refused. */
  window: z.int().nullable(),
  /** Number of summaries that failed in a row. */
  failures: z.int(),
  /**
   * Number of summaries written for the task, used or not. Each is a model call; this is also the number of the last
   * one.
   */
  summaries: z.int().default(0),
});
export type Compaction = z.infer<typeof Compaction>;

/** The compaction of a conversation that is shown whole. */
export const NO_COMPACTION: Compaction = {
  summary: "",
  keptHistory: null,
  throughIteration: 0,
  emptiedThrough: 0,
  shortened: null,
  picturesGone: false,
  refusedPictures: null,
  turns: 0,
  scale: 1,
  window: null,
  failures: 0,
  summaries: 0,
};
