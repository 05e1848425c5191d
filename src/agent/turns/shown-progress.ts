import { taskEvents } from "#src/domain/agent-work/tasks/index.ts";
import { foreignWords } from "../scrubbing/foreign-words.ts";
import type { KnownSecrets } from "../scrubbing/scrub.ts";
import type { CallProgress } from "../tools/tool.ts";
import type { TurnContext } from "./turn-context.ts";

/** Milliseconds between two events of a call: with the limits of a call, its events are at most some two hundred. */
const PACE_MS = 1_000;
/** Most characters of a message that are shown. */
const SHOWN_CHARS = 300;

/** A foreign message as it is shown beside a call: in one line, without secrets. */
export const shownWords = (message: string, known: KnownSecrets): string =>
  foreignWords(message, known, SHOWN_CHARS);

/** The progress of one call as its readers see it: the newest, at most one a second, and none after the end. */
export class ShownProgress {
  readonly #turn: Pick<TurnContext, "log" | "secrets">;
  readonly #call: Parameters<typeof taskEvents.toolProgress>[0];
  #newest: CallProgress | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #last = "";
  #isOver = false;

  constructor(
    turn: Pick<TurnContext, "log" | "secrets">,
    call: Parameters<typeof taskEvents.toolProgress>[0],
  ) {
    this.#turn = turn;
    this.#call = call;
  }

  take(progress: CallProgress): void {
    if (this.#isOver) return;
    this.#newest = progress;
    if (this.#pause === undefined) void this.#show();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#pause);
  }

  async #show(): Promise<void> {
    const shown = this.#newest;
    if (!shown) return;
    this.#newest = undefined;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      void this.#show();
    }, PACE_MS);
    // Without the secrets nothing is shown; the result will say why they cannot be read.
    const known = await this.#turn.secrets.known().catch(() => undefined);
    if (!known || this.#isOver) return;
    const { progress, total, message = "" } = shown;
    const told = { progress, total, message: shownWords(message, known) };
    // What says the same again is a sign of life, and nothing to read.
    const words = JSON.stringify(told);
    if (words === this.#last) return;
    this.#last = words;
    this.#turn.log.writer.add({ events: [taskEvents.toolProgress(this.#call, told)] });
  }
}
