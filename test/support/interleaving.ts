import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import type { Random } from "./random.ts";

/** One of several programs that run at once: a request, a delivery. */
interface Actor {
  isDead: boolean;
  crashed: () => void;
}

interface Waiting {
  actor: Actor;
  /** Do what the actor waits for, and tell it. */
  go: () => Promise<void>;
  /** Do it, and never tell. */
  goUntold: () => Promise<void>;
}

/**
 * Programs that run at once, of which each reaches the outside through `point`. Only one of these calls runs at a time; which one
 * comes next is drawn, so that a run repeats with its seed. A program that crashes stops for ever at a call, which may have been
 * done.
 */
export class Interleaving {
  readonly #random: Random;
  readonly #current = new AsyncLocalStorage<Actor>();
  #waiting: Waiting[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Start a program. `ended` is told of its end, with its failure if any; never of one that crashed. */
  start(run: () => Promise<unknown>, ended: (failure?: unknown) => void, crashed: () => void): void {
    const actor: Actor = { isDead: false, crashed };
    this.#current.run(actor, () => {
      run().then(
        () => actor.isDead || ended(),
        (failure: unknown) => actor.isDead || ended(failure),
      );
    });
  }

  /** A call to the outside. Outside of a program it is done at once. */
  point<T>(act: () => Promise<T>): Promise<T> {
    const actor = this.#current.getStore();
    if (!actor) return act();
    return new Promise<T>((resolve, reject) => {
      if (actor.isDead) return;
      const go = () => this.#current.exit(act).then(resolve, reject);
      const goUntold = () => Promise.allSettled([this.#current.exit(act)]).then(() => undefined);
      this.#waiting.push({ actor, go, goUntold });
    });
  }

  /** What a test looks at from within a program. */
  outside<T>(look: () => Promise<T>): Promise<T> {
    return this.#current.exit(look);
  }

  /** Whether any program has something to do. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Let one program take a step, or crash at it. */
  async step({ crash }: { crash: boolean }): Promise<void> {
    const [next] = this.#waiting.splice(this.#random.whole(0, this.#waiting.length - 1), 1);
    if (!next) return;
    if (crash) {
      next.actor.isDead = true;
      this.#waiting = this.#waiting.filter(({ actor }) => actor !== next.actor);
      if (this.#random.chance(0.5)) await next.goUntold();
      next.actor.crashed();
    } else await next.go();
    // What follows from the answer, up to the next calls.
    await setImmediate();
    await setImmediate();
  }
}
